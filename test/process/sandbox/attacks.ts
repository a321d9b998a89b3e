/**
 * What commands of a confined agent try. Nothing here changes the machine, also where an attack comes through: files of the
 * kernel are opened for appending, and nothing is written.
 */

/** `by`: bash, in a subshell, whose status 0 says that it came through. */
export interface Attack {
	readonly tries: string;
	readonly by: string;
}

const PERL = (code: string) => `perl -e '${code.replaceAll("\n", " ")}'`;
/** Opens for appending, and writes nothing. */
const APPENDS = `appends() { for f; do ${PERL('exit(open(my $f, ">>", $ARGV[0]) ? 0 : 1)')} "$f" && return 0; done; return 1; };`;
/** A root of its own: a user namespace in which the command has all capabilities. */
const inNamespace = (flags: string, command: string) =>
	`unshare --user --map-root-user --mount ${flags} sh -c '${command}'`;

const SYSCALLS = {
	x64: {
		setxattr: 188,
		add_key: 248,
		keyctl: 250,
		ptrace: 101,
		process_vm_readv: 310,
		pidfd_open: 434,
		pidfd_getfd: 438,
		unshare: 272,
	},
	arm64: {
		setxattr: 5,
		add_key: 217,
		keyctl: 219,
		ptrace: 117,
		process_vm_readv: 270,
		pidfd_open: 434,
		pidfd_getfd: 438,
		unshare: 97,
	},
} as const;
const NUMBERS = SYSCALLS[process.arch === "arm64" ? "arm64" : "x64"];

const WRITES: readonly Attack[] = [
	{
		tries: "a file on any mount that is not its own",
		by: `while read -r _ _ _ _ at more; do
			at=$(printf %b "$at")
			case "$more" in *" - overlay "*) continue;; esac # the run's own, above a cache
			case "$at/" in "$PROJECT"/*|/tmp/|/var/tmp/|/dev/|/dev/shm/|/dev/pts/|"$AGENTREE_HOME"/*|*.pipes/*) continue;; esac
			if [ -d "$at" ]; then (: > "$at/agentree-attack") && exit 0; fi
		done < /proc/self/mountinfo; exit 1`,
	},
	{ tries: "files of its user outside", by: `${APPENDS} appends "$HOME/victim/file" "$HOME/.bashrc" "$HOME/.profile"` },
	{
		tries: "files that change the kernel",
		by: `${APPENDS} appends /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /proc/sys/vm/drop_caches /sys/kernel/uevent_helper /sys/power/state /sys/kernel/mm/ksm/run`,
	},
	{
		tries: "any file of /proc that is no process's",
		// of its own namespaces: process numbers, System V and POSIX queues
		by: `${APPENDS} OWN="-path /proc/sys/fs/mqueue -prune -o -name ns_last_pid -o -name pid_max -o -name msg* -o -name shm* -o -name sem -o -name auto_msgmni"; set -f; found=$(find /proc -path "/proc/[0-9]*" -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o -path /proc/pressure -prune -o $OWN -o -type f -writable -print 2>/dev/null | head -20); [ -n "$found" ] && appends $found`,
	},
	{
		tries: "control groups",
		by: `${APPENDS} found=$(find /sys/fs/cgroup -maxdepth 3 \\( -name cgroup.procs -o -name release_agent -o -name cgroup.kill \\) 2>/dev/null | head -40); [ -n "$found" ] && appends $found`,
	},
	{ tries: "a second name for a file outside", by: `ln "$HOME/victim/file" linked && echo out >> linked` },
	{
		tries: "a cache itself, below the run's layer",
		by: `echo cached > "$HOME/.npm/in-layer"; for p in /proc/self /proc/[0-9]*; do (echo out > "$p/root$HOME/.npm/fetched") 2>/dev/null; done; unshare --user --map-root-user --mount sh -c 'umount -l "$HOME/.npm"; mount -t overlay overlay -o lowerdir="$HOME/.npm",upperdir="$HOME/.npm",workdir=/tmp/w,userxattr "$HOME/.npm"; echo out > "$HOME/.npm/fetched"'; cat "$HOME/.cargo/credentials.toml" | grep -q .`,
	},
	{ tries: "files outside by a link", by: `ln -sfn "$HOME/victim" out; echo x > out/through` },
	{ tries: "files outside by its working directory and root", by: `echo x > "/proc/self/root$HOME/victim/by-root"` },
	{
		tries: "files outside, by the root and the working directory of other processes",
		by: `for p in /proc/[0-9]*; do (echo x > "$p/root$HOME/victim/by-process" || echo x > "$p/cwd/../victim/by-cwd") && exit 0; done; exit 1`,
	},
	{ tries: "what it has printed", by: `echo forged > "$AGENTREE_HOME"/runs/*/1/out/0001.log` },
	{ tries: "a device of its own", by: "mknod disk b 8 0 || mknod mem c 1 1" },
	{ tries: "the programs of its run", by: `${APPENDS} appends "$AGENTREE_HOME"/runs/*/bin/*` },
];

const MOUNTS: readonly Attack[] = [
	{ tries: "to make all writable again", by: inNamespace("", "mount -o remount,rw / && : > /agentree-attack") },
	{
		tries: "to make a copy of all writable",
		by: inNamespace("", "mkdir -p m && mount --rbind / m && mount -o remount,bind,rw m && : > m/agentree-attack"),
	},
	{ tries: "to uncover what is hidden", by: inNamespace("", 'umount -l "$HOME/.ssh" && cat "$HOME/.ssh/id"') },
	{ tries: "to uncover what is kept", by: inNamespace("", "umount .git/hooks && : > .git/hooks/post-commit") },
	{
		tries: "to see below what is hidden in a copy",
		by: inNamespace("", 'mkdir -p m && mount --bind "$HOME" m && cat m/.ssh/id'),
	},
	{
		tries: "a /proc of its own with the machine's settings",
		by: `${APPENDS} export -f appends; unshare --user --map-root-user --mount --pid --fork bash -c 'mkdir -p m && mount -t proc proc m && appends m/sys/kernel/core_pattern m/sysrq-trigger'`,
	},
	{
		tries: "a /sys of its own",
		by: `${APPENDS} export -f appends; unshare --user --map-root-user --mount --net bash -c 'mkdir -p m && mount -t sysfs sysfs m && appends m/kernel/uevent_helper m/power/state m/kernel/mm/ksm/run'`,
	},
	{
		tries: "control groups in a namespace of its own",
		by: `${APPENDS} export -f appends; unshare --user --map-root-user --mount --cgroup bash -c 'mkdir -p m; for type in "cgroup2 none" "cgroup -o none,name=systemd none" "cgroup -o pids none" "cgroup -o freezer none"; do mount -t $type m && appends m/cgroup.procs && exit 0; done; exit 1'`,
	},
	{
		tries: "the namespaces of other processes",
		by: `for p in /proc/[0-9]*; do nsenter --target "\${p#/proc/}" --user --mount --preserve-credentials sh -c ': > "$HOME/victim/entered"' && exit 0; done; exit 1`,
	},
	{
		tries: "the root by a directory that it left (chroot)",
		by: inNamespace(
			"",
			'mkdir -p c && chroot c /bin/sh -c : ; perl -e "chdir(\\"..\\") for 1..40; chroot(\\".\\")" && : > "$HOME/victim/chroot"',
		),
	},
];

const READS: readonly Attack[] = [
	{ tries: "secrets", by: 'cat "$HOME/.ssh/id" "$HOME/secrets/key" "$HOME/named.json" | grep -q .' },
	{
		tries: "secrets by their place in /proc",
		by: 'cat "/proc/self/root$HOME/.ssh/id" "/proc/1/root$HOME/.ssh/id" | grep -q .',
	},
	{
		tries: "what the kernel shows root alone",
		by: "cat /etc/shadow | grep -q . || dd if=/proc/kcore of=/dev/null bs=1 count=1",
	},
	{ tries: "other runs", by: 'ls "$HOME/.local/state/agentree/runs" "$AGENTREE_HOME/runs" | grep -q "other-run"' },
	{
		tries: "the record of its run",
		by: `find "$AGENTREE_HOME" -name "*.jsonl" -o -name run.json -o -name agent.json -o -name .person-key | grep -q .`,
	},
	{
		tries: "environments and command lines of processes outside",
		by: `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | grep -qa "sk-ant-attack-ke[y]"`,
	},
	{
		tries: "memory of processes that are not its own",
		by: PERL(`
			my $all = 0;
			for my $p (glob("/proc/[0-9]*")) { my ($pid) = $p =~ /(\\d+)/; next if $pid == $$;
				open(my $c, "<", "$p/cmdline") or next; my $line = join("", <$c>); next unless $line =~ /^(agent|node|bwrap)/;
				open(my $m, "<", "$p/mem") and $all++; }
			exit($all ? 0 : 1)`),
	},
	{
		tries: "the keyring of the person's session",
		by: PERL(`
			my ($type, $name) = ("user", "agentree-attack");
			my $id = syscall(${NUMBERS.keyctl}, 10, -3, $type, $name, 0);
			my $buffer = "\\0" x 64;
			exit($id > 0 && syscall(${NUMBERS.keyctl}, 11, $id, $buffer, 64) > 0 ? 0 : 1)`),
	},
	{
		tries: "descriptors that nobody meant to give",
		by: PERL('for (3 .. 1023) { my $to = readlink("/proc/self/fd/$_"); exit 0 if defined $to } exit 1'),
	},
	{
		tries: "a script by the name of a model",
		by: `agent --model "script:$HOME/.ssh/id" "x" 2>&1 | grep -q "sec""ret"`,
	},
];

/** What the supervisor reads for them. What it told a child is looked at afterwards. */
const IMPORTS: readonly Attack[] = [
	{
		tries: "the user's own directory, by what a file imports for a child",
		by: `mkdir -p sub && echo "@~/.config/agentree/own.md" > sub/AGENTS.md && cd sub && agent false`,
	},
];

const SIGNALS: readonly Attack[] = [
	{
		tries: "to signal processes outside by number",
		by: 'for p in $OUTSIDE_PIDS; do kill -0 $p && grep -qa "sk-ant-attack-ke[y]" /proc/$p/environ && exit 0; done; exit 1',
	},
	{
		tries: "to trace processes outside",
		by: PERL(`for (split " ", $ENV{OUTSIDE_PIDS}) { exit 0 if syscall(${NUMBERS.ptrace}, 16, $_, 0, 0) == 0 } exit 1`),
	},
];

const SOCKETS: readonly Attack[] = [
	{
		tries: "sockets of other programs",
		by: `touch bind-now; until [ -e bound ]; do sleep 0.05; done; ${PERL("use IO::Socket::UNIX; for (@ARGV) { exit 0 if IO::Socket::UNIX->new(Peer => $_) } exit 1")}`.concat(
			' "$HOME/other.sock" "$HOME/renamed.sock" "$HOME/linked.sock" "$HOME/late.sock" "$PROJECT/before.sock" "$HOME/sockets/agent.sock" /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /run/user/*/bus',
		),
	},
	{
		tries: "a socket to the machine around a virtual one, which no network namespace holds",
		by: PERL("exit(socket(my $s, 40, 1, 0) ? 0 : 1)"),
	},
	{
		tries: "to act as a person of the run",
		by: `agent stop "\${AGENTREE_AGENT%/*}" || agent pause "\${AGENTREE_AGENT%/*}/1" || agent kill "\${AGENTREE_AGENT%/*}"`,
	},
	{
		tries: "a terminal",
		by: PERL('open(my $t, "+<", "/dev/tty") or exit 1; my $c = "x"; exit(ioctl($t, 0x5412, $c) ? 0 : 1)'),
	},
];

/** A value that gives all capabilities of the first 32 (linux/capability.h). */
const SETS_CAPABILITY = `my ($f, $n, $v) = ("lent", "security.capability", pack("V5", 0x02000001, 0xffffffff, 0, 0, 0)); exit(syscall(${NUMBERS.setxattr}, $f, $n, $v, 20, 0) == 0 ? 0 : 1)`;

const PROGRAMS: readonly Attack[] = [
	{
		tries: "to make a program with the rights of its user or group",
		by: `cp /bin/true lent; chmod 4755 lent; chmod g+s lent; install -m 6755 /bin/true lent2; perl -e 'use Fcntl; sysopen(my $f, "lent3", O_CREAT | O_WRONLY, 04755)'; mkdir -p kept && chmod 2755 kept; find . -perm /6000 | grep -q .`,
	},
	{
		tries: "to make a program with capabilities",
		by: `${PERL(SETS_CAPABILITY)} || unshare --user --map-root-user ${PERL(SETS_CAPABILITY)}`,
	},
	{
		tries: "to say in the place of its own first process how it has ended",
		by: PERL(
			`my $p = syscall(${NUMBERS.pidfd_open}, 1, 0); for (0 .. 9) { exit 0 if syscall(${NUMBERS.pidfd_getfd}, $p, $_, 0) >= 0 } exit(open(my $f, ">", "/proc/1/fd/3") ? 0 : 1)`,
		),
	},
	{
		tries: "to keep something in /run",
		by: 'for at in $(find /run -maxdepth 3 -type d); do chmod u+w "$at"; (: > "$at/agentree-attack") && exit 0; done; exit 1',
	},
	{ tries: "to become another user", by: "[ $(id -u) != 0 ] && su -c true || sudo -n true" },
	{
		tries: "capabilities over the machine",
		by: "hostname agentree-attack && [ $(readlink /proc/self/ns/uts) = $(readlink /proc/1/ns/uts) ] && [ ! -e /proc/self/ns/uts ] || date -s @0 || chroot / true",
	},
	{
		tries: "programs that its user runs outside",
		by: `${APPENDS} appends "$PROJECT/bin/tool" "$PROJECT/bin/new"`,
	},
];

const GIT: readonly Attack[] = [
	{ tries: "what git's configuration names", by: "echo x > hooks-of-project/post-checkout || mv hooks-of-project h" },
	{ tries: "a hook", by: "echo x > .git/hooks/post-checkout" },
	{ tries: "git's configuration", by: "git config core.fsmonitor /bin/false || echo x >> .git/config" },
	{
		tries: "configuration elsewhere by commondir",
		by: "rm -f .git/commondir; mkdir -p evil; echo ../evil > .git/commondir",
	},
	{
		tries: "configuration of the work tree alone",
		by: "echo x > .git/config.worktree && git config extensions.worktreeConfig true",
	},
	{ tries: "another repository in the place of the project's", by: "mv .git g && mkdir .git || rm -rf .git/hooks" },
	{
		tries: "the configuration of a submodule",
		by: "echo x >> .git/modules/sub/config || echo x > .git/modules/sub/hooks/post-checkout",
	},
	// Seen to come through, each.
	{
		tries: "configuration elsewhere by what a submodule does not have",
		by: "rm -f .git/modules/sub/commondir; echo ../evil > .git/modules/sub/commondir || mv .git/modules/sub .git/m",
	},
	{
		tries: "another repository in the place of a submodule's",
		by: "echo gitdir: ../evil > sub/.git || rm sub/.git || mv sub s",
	},
	{
		tries: "objects of another repository, whose configuration git reads",
		by: "for at in .git .git/modules/sub; do echo /evil > $at/objects/info/alternates && exit 0; mv $at/objects o && exit 0; done; false",
	},
	{
		tries: "a repository that lies in the tree",
		by: "echo x > nested/.git/config || mkdir -p nested/.git/hooks/x || echo x > nested/.git/commondir || mv nested n",
	},
	{
		tries: "the configuration of another work tree",
		by: "cd .git/worktrees/other; echo /tmp > commondir || echo x > gitdir || echo x > config.worktree",
	},
	{
		tries: "files of editors that run what stands there",
		by: "echo x > .vscode/tasks.json || mv .vscode v || echo x > .envrc",
	},
];

export const ATTACKS: readonly Attack[] = [
	...[...WRITES, ...MOUNTS, ...READS, ...IMPORTS, ...SIGNALS, ...SOCKETS, ...PROGRAMS, ...GIT],
];
