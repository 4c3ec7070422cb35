module github.com/terrarium-dev/terrarium

go 1.26
