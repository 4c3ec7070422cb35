package diff

// shift moves runs of changed lines of one file as far down as their text allows, so that runs
// meet, and changes of both files stand side by side. That is where GNU's diff shows them.
func shift(lines []int, gone, other []bool) {
	at := func(s []bool, i int) bool { return i >= 0 && i < len(s) && s[i] }
	n := len(lines)
	i, j := 0, 0
	for {
		for i < n && !gone[i] {
			for at(other, j) {
				j++
			}
			j++
			i++
		}
		if i == n {
			return
		}
		start := i
		for i++; at(gone, i); i++ {
		}
		for at(other, j) {
			j++
		}
		beside := n // where the run would end beside one of the other file
		for {
			length := i - start
			for start > 0 && lines[start-1] == lines[i-1] {
				start--
				i--
				gone[start], gone[i] = true, false
				for at(gone, start-1) {
					start--
				}
				for j--; at(other, j); j-- {
				}
			}
			beside = n
			if at(other, j-1) {
				beside = i
			}
			for i < n && lines[start] == lines[i] {
				gone[start], gone[i] = false, true
				start++
				for i++; at(gone, i); i++ {
				}
				for j++; at(other, j); j++ {
					beside = i
				}
			}
			if length == i-start {
				break
			}
		}
		for beside < i {
			start--
			i--
			gone[start], gone[i] = true, false
			for j--; at(other, j); j-- {
			}
		}
	}
}
