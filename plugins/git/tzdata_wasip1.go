package main

import _ "time/tzdata" // the sandbox has no /usr/share/zoneinfo
