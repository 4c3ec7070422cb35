package confine

import (
	"slices"
	"strings"
)

// What is secret, and what programs need, on macOS. What programs keep below the home
// directory on every system is in secrets and toolchains.

// macLists are what is hidden on macOS.
var macLists = lists{
	secrets: slices.Concat(secrets, macSecrets),
	own:     slices.Concat(ownNames, linesIn("Library/Application Support/terrarium\nLibrary/Caches/terrarium")),
	files:   macSecretFiles,
	homes:   "/Users/*",
}

// macSecrets are below Home, by line: most names have spaces. Library/Containers and
// Library/Group Containers are the data of programs that are kept in Apple's own
// sandbox: mail, notes, messengers, password managers.
var macSecrets = linesIn(`
	Library/Accounts
	Library/Biome
	Library/Calendars
	Library/Containers
	Library/Cookies
	Library/Group Containers
	Library/HTTPStorages
	Library/IdentityServices
	Library/Keychains
	Library/Mail
	Library/Messages
	Library/Metadata/CoreSpotlight
	Library/Passes
	Library/PersonalizationPortrait
	Library/Safari
	Library/Saved Application State
	Library/Suggestions
	Library/WebKit
	Library/Application Support/1Password
	Library/Application Support/AddressBook
	Library/Application Support/Arc
	Library/Application Support/Bitwarden
	Library/Application Support/BraveSoftware
	Library/Application Support/CallHistoryDB
	Library/Application Support/Chromium
	Library/Application Support/Claude
	Library/Application Support/Code
	Library/Application Support/Cursor
	Library/Application Support/Element
	Library/Application Support/Firefox
	Library/Application Support/GitHub Desktop
	Library/Application Support/Google
	Library/Application Support/KeePassXC
	Library/Application Support/Knowledge
	Library/Application Support/LibreWolf
	Library/Application Support/Microsoft Edge
	Library/Application Support/MobileSync
	Library/Application Support/Signal
	Library/Application Support/Slack
	Library/Application Support/Telegram Desktop
	Library/Application Support/Thunderbird
	Library/Application Support/VSCodium
	Library/Application Support/Vivaldi
	Library/Application Support/Windsurf
	Library/Application Support/com.apple.TCC
	Library/Application Support/com.operasoftware.Opera
	Library/Application Support/discord
	Library/Application Support/gcloud
	Library/Application Support/iCloud
	Library/Application Support/rclone
	Library/Application Support/sops
	Library/Application Support/zen
	Library/Caches/BraveSoftware
	Library/Caches/Chromium
	Library/Caches/Firefox
	Library/Caches/Google
	Library/Caches/Microsoft Edge
	Library/Caches/Mozilla
	Library/Caches/com.apple.Safari
	Library/Thunderbird
	.zsh_sessions
	.bash_sessions`)

// macSecretFiles are those of the system: keys, passwords, devices, and copies of
// everything that backups have made. /System/Volumes/Data is all files that are not
// the system's once more: no rule for their real paths would hold there, if the kernel
// were to know a file by that path.
var macSecretFiles = linesIn(`
	/dev
	/private/etc/krb5.keytab
	/private/etc/master.passwd
	/private/etc/openvpn
	/private/etc/ppp/chap-secrets
	/private/etc/racoon
	/private/etc/ssh/ssh_host_dsa_key
	/private/etc/ssh/ssh_host_ecdsa_key
	/private/etc/ssh/ssh_host_ed25519_key
	/private/etc/ssh/ssh_host_rsa_key
	/private/etc/sudoers
	/private/etc/sudoers.d
	/private/etc/wireguard
	/private/var/at
	/private/var/audit
	/private/var/backups
	/private/var/db/dslocal
	/private/var/db/krb5kdc
	/private/var/db/sudo
	/private/var/root
	/private/var/spool/cron
	/private/var/vm
	/Library/Application Support/com.apple.TCC
	/Library/Keychains
	/Library/Logs/DiagnosticReports
	/System/Volumes/Data
	/Volumes/.timemachine
	/Volumes/com.apple.TimeMachine.localsnapshots
	/.DocumentRevisions-V100
	/.MobileBackups
	/.Spotlight-V100
	/.fseventsd
	/cores`)

// macSystemDirs are what Strict lets be read on macOS besides what is handed over:
// systemDirs are Linux's. Not all of /Library, where all programs keep things, and not
// all of /System, which has all volumes in it.
var macSystemDirs = linesIn(`
	/usr
	/bin
	/sbin
	/opt
	/nix
	/private/etc
	/private/preboot
	/private/var/db/dyld
	/private/var/db/oah
	/private/var/db/timezone
	/private/var/db/xcode_select_link
	/private/var/run/resolv.conf
	/private/var/select
	/System/Cryptexes
	/System/DriverKit
	/System/Library
	/System/Volumes/Preboot
	/System/iOSSupport
	/Applications/Xcode.app
	/Applications/Xcode-beta.app
	/Library/Apple
	/Library/Developer
	/Library/Frameworks
	/Library/Java
	/Library/Perl
	/Library/Preferences/com.apple.dt.Xcode.plist
	/Library/Python
	/Library/Ruby`)

// macToolchains are what Strict lets be read in Home besides toolchains.
var macToolchains = linesIn(`
	Library/Android/sdk
	Library/Application Support/Coursier
	Library/Application Support/fnm
	Library/Developer/Toolchains
	Library/Java
	Library/Python
	Library/pnpm`)

// linesIn is namesIn for names with spaces.
func linesIn(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}
