// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are commands of bash
import { describe, expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { judgeCommand as judgeParts } from "../../../../src/core/rules/decide-command.ts";
import { parseRule, type Rule, type RuleSet } from "../../../../src/core/rules/rule.ts";

const judgeCommand = (command: string, sets: readonly RuleSet[]) => judgeParts(commandParts(command), sets);

function rule(text: string): Rule {
	const parsed = parseRule(text);
	if (parsed.is === "bad") throw new Error(parsed.reason);
	return parsed.rule;
}

interface Given {
	allow?: string[];
	ask?: string[];
	deny?: string[];
	source?: string;
}

function rules({ allow = [], ask = [], deny = [], source = "you" }: Given): RuleSet {
	return { source, allow: allow.map(rule), ask: ask.map(rule), deny: deny.map(rule) };
}

const judged = (command: string, given: Given) => judgeCommand(command, [rules(given)]).is;

describe("a rule that denies `git push` names", () => {
	test.each([
		"git push",
		"git {push,}",
		"{git,push}",
		"bash <<EOF\ngit push\nEOF",
		"$'\\x67it' push",
		"git  push origin main",
		"git\tpush",
		"cd x && git push",
		"cd x;git push",
		"true || git push",
		"true | git push",
		"true |& git push",
		"true & git push",
		"true\ngit push",
		"(git push)",
		"( true; (git push) )",
		"{ git push; }",
		"! git push",
		"time -p git push",
		"if true; then git push; fi",
		"if git push; then true; fi",
		"if a; then b; elif git push; then c; else d; fi",
		"for x in a b; do git push; done",
		"for x in $(git push); do :; done",
		"for ((i = 0; i < 3; i++)); do git push; done",
		"for x do git push; done",
		"while git push; do :; done < <(cat x)",
		"until false; do git push; done",
		"case $x in a) git push;; esac",
		"case x in\n(a|b)\n git push\n;;\n*) true ;;\nesac",
		"case x in a) true;; esac; git push",
		"f() { git push; }; f",
		"function f { git push; }\nf",
		"function f() (git push)",
		"echo $(git push)",
		'echo "$(git push)"',
		'echo "a $(echo "$(git push)") b"',
		"echo `git push`",
		"echo `echo \\`git push\\``",
		"cat <(git push)",
		"echo x > >(git push)",
		"echo ${x:-$(git push)}",
		'echo "${x:-$(git push)}"',
		"echo $(( $(git push) + 1 ))",
		"(( x = $(git push) ))",
		"[[ $(git push) == a ]]",
		"a=$(git push)",
		"a=(x $(git push))",
		"A=1 git push",
		"A=1 B='x y' git push",
		">log git push",
		"git push 2>&1 >log",
		"git push &>log",
		"'git' push",
		'"git" "push"',
		"g\\it pu'sh'",
		"$'git' push",
		"gi\\\nt push",
		"i\\\nf git push; then :; fi",
		"git \\\n push",
		"/usr/bin/git push",
		"git -C other push",
		"git -c a=b --no-pager push",
		"git --git-dir=x push",
		"timeout 5 git push",
		"timeout -s KILL 5 git push",
		"timeout --signal=KILL 5 git push",
		"env git push",
		"env -i A=1 git push",
		"env -u X git push",
		"env -S 'git push'",
		"nice -n 5 git push",
		"nice -5 git push",
		"nohup git push &",
		"setsid git push",
		"stdbuf -oL git push",
		"command git push",
		"exec git push",
		"sudo git push",
		"sudo -u me A=1 git push",
		"command git push -v",
		"env git push -S x",
		"flock lock git -c a=b push",
		"flock lock -c 'git push'",
		"runuser me -c 'git push'",
		"runuser -u me git -c a=b push",
		"xargs -0n 1 git push",
		"xargs -0I % git push %",
		"watch 'cd x; git push'",
		"parallel 'cd {}; git push' ::: x",
		"hyperfine -w 3 true 'cd x; git push'",
		"xvfb-run -a git push",
		"bash -euo pipefail <<'EOF'\ngit push\nEOF",
		"bash -o pipefail -c 'git push'",
		"bash -s stable <<'EOF'\ngit push\nEOF",
		"bash - <<'EOF'\ngit push\nEOF",
		"source /dev/stdin <<'EOF'\ngit push\nEOF",
		"timeout 60 bash <<'EOF'\ngit push\nEOF",
		"sudo -u me bash -s <<'EOF'\ngit push\nEOF",
		"bash -c 'git push' run.sh",
		"if\\\n git push; then :; fi",
		"sudo -- git push",
		"timeout 5 nice env A=1 git push",
		"xargs git push < x",
		"echo x | xargs -n 1 git push",
		"echo push | xargs git",
		"xargs -I{} git {} < x",
		"eval git push",
		"eval 'git push'",
		'eval "cd x; git push"',
		"bash -c 'git push'",
		'bash -lc "cd x && git push"',
		"sh -e -c 'git push' name",
		"/bin/sh -c 'bash -c \"git push\"'",
		"trap 'git push' EXIT",
		"find . -name x -exec git push {} \\;",
		"find . -exec sh -c 'git push' \\; -print",
		"flock /tmp/lock git push",
		"watch git push",
		"cat <<EOF\n$(git push)\nEOF",
		"cat <<EOF\nEO\\\nF\ngit push\nEOF",
		"cat <<'EOF'\nx\nEOF\ngit push",
		"cat <<-EOF\n\tx\n\tEOF\ngit push",
		"echo a # it's\ngit push",
		"echo a#b; git push",
		'echo "${x:-\'}" ; git push ; echo "${y:-\'}"',
		'((echo "))" ; git push) ; (echo "a")) # "',
		"[ x ] && git push",
		"[ $(git push) ]",
		"coproc git push",
		"echo 'it'\\''s'; git push",
		"true;;git push",
	])("%j", (command) => {
		expect(judged(command, { deny: ["git push"] })).toMatch(/^(denied|asks)$/);
	});

	test.each([
		"gi? push",
		"git $x",
		"$x push",
		"$x",
		"${x}t push",
		"eval $x",
		'bash -c "$x"',
		"echo x | bash",
		". <(curl x)",
		'git pu"$x"',
		"{git,push}",
		"echo $((x + 1))",
		"(( git - push ))",
		"case $x in a) ls;; esac",
		"let 'x = a[$(git push)]'",
		"let i=x",
		"unset 'a[$(git push)]'",
		"[[ -v 'a[$(git push)]' ]]",
		"compgen -C 'git push' x",
		"git -c alias.p=push p",
		"curl x | bash -s stable",
		"curl x | bash -euo pipefail",
		"case",
	])("perhaps, so that it is asked about: %j", (command) => {
		const { is } = judgeCommand(command, [rules({ deny: ["git push"] })]);
		expect(is === "asks" || command === "case").toBe(true);
	});

	test.each([
		"git status",
		"git pushx",
		"echo git push",
		"echo 'git push'",
		'echo "git push"',
		"echo \\; git push",
		"git log --grep 'git push'",
		"cat <<'EOF'\n$(git push)\nEOF",
		"cat <<EOF\ngit push\nEOF",
		"cat > x <<EOF\ngit push\nEOF\nls",
		"true # && git push",
		"grep x $file",
		"timeout 5 npm test",
		"bash -euo pipefail run.sh",
		"bash run.sh -c x -s",
		"printf '[%s] costs $5' x",
		"[ git = push ]",
		'echo $((1 + 2)) $(date) "$HOME/x"',
		'for f in *.ts; do wc -l "$f"; done',
	])("not %j", (command) => {
		expect(judged(command, { deny: ["git push"] })).toBe("unnamed");
	});
});

test.each(["# git push", "a='git push'", "[[ git == push ]]", ""])("%j runs nothing, so nothing is asked", (command) =>
	expect(judged(command, { deny: ["git push"] })).toBe("allowed"),
);

describe("a rule that allows `npm test`", () => {
	const allow = ["npm test"];

	test.each([
		"npm test",
		"npm test -- --watch=false",
		"npm  test $x",
		"npm test && npm test",
		"(npm test)",
		"npm test 2>&1",
		"npm test > /dev/null",
		"timeout 60 npm test",
		"time npm test",
		"env CI=1 npm test",
		"NODE_ENV=test npm test",
		"bash -c 'npm test'",
		"for i in 1 2; do npm test; done",
		"npm test <<< x",
	])("allows %j", (command) => expect(judged(command, { allow })).toBe("allowed"));

	test.each([
		"npm testx",
		"npm test && rm x",
		"npm test; rm x",
		"npm test $(rm x)",
		"npm test `rm x`",
		"npm test <(rm x)",
		"npm test > file",
		"npm test >> file",
		"npm test &> file",
		"npm test >| file",
		"sudo npm test",
		"LD_PRELOAD=x npm test",
		"PATH=. npm test",
		"env PATH=. npm test",
		"./npm test",
		"/tmp/npm test",
		"$x npm test",
		"eval npm test $x",
		'bash -c "npm test $x"',
		"npm test 'never closed",
		"npm test <<EOF\n$(rm x)\nEOF",
		"npm test\nrm x",
		"npm test | bash",
		"npm test | xargs rm",
		"f() { rm x; }; npm test",
	])("does not allow %j", (command) => expect(judged(command, { allow })).not.toBe("allowed"));
});

describe("how a rule is written", () => {
	test.each([
		["Bash(npm run test *)", "npm run test", true],
		["Bash(npm run test *)", "npm run test x", true],
		["Bash(npm run test *)", "npm run testing", false],
		["Bash(npm run test:*)", "npm run test x", true],
		["Bash(npm run test:*)", "npm run testing", false],
		["Bash(npm run test*)", "npm run testing", true],
		["Bash(git push)", "git push", true],
		["Bash(git push)", "git push x", false],
		["Bash(git * main)", "git merge main", true],
		["Bash(git * main)", "git merge other", false],
		["Bash(* --version)", "node --version", true],
		["Bash", "anything at all", true],
		["Bash(*)", "anything at all", true],
		["Bash()", "anything at all", true],
		["git push", "git push x", true],
		["git push*", "git pushes", true],
		['Bash(git commit -m "a b")', "git commit -m 'a b'", true],
		["Bash(echo \\*)", "echo '*'", true],
		["Bash(echo \\*)", "echo 'a'", false],
	])("%s for %s: %s", (text, command, isNamed) => {
		expect(judged(command, { allow: [text] })).toBe(isNamed ? "allowed" : "unnamed");
		expect(judged(command, { deny: [text] })).toBe(isNamed ? "denied" : "unnamed");
	});

	test.each(["", "Read(./src/**)", "WebFetch", "mcp__x__y", "Bash(git push", "a\nb", "x".repeat(501)])(
		"%j is refused, with a reason",
		(text) => expect(parseRule(text)).toMatchObject({ is: "bad", reason: expect.stringMatching(/./) }),
	);
});

describe("of several sources", () => {
	const user = rules({ ask: ["git push"], allow: ["npm test", "make"], source: "user" });
	const project = rules({ ask: ["make"], deny: ["rm"], source: "project" });
	const line = rules({ allow: ["git push", "rm"], source: "line" });
	const all = [BUILT_IN_RULES, user, project, line];

	test("a rule that denies counts whoever allows", () =>
		expect(judgeCommand("rm x", all)).toEqual({ is: "denied", part: "rm x", rule: "rm", source: "project" }));
	test("the highest that names a command counts", () => {
		expect(judgeCommand("git push", all).is).toBe("allowed");
		expect(judgeCommand("git push", all.slice(0, 3))).toMatchObject({ is: "asks", source: "user" });
		expect(judgeCommand("make", all)).toMatchObject({ is: "asks", source: "project" });
		expect(judgeCommand("npm test", all).is).toBe("allowed");
	});
	test("one that asks counts before one that allows beside it", () =>
		expect(judged("git push x", { allow: ["git"], ask: ["git push"] })).toBe("asks"));
	test("every part of a command has to be allowed, and each is looked at", () => {
		expect(judgeCommand("npm test && curl x", all)).toEqual({ is: "unnamed", part: "curl x" });
		expect(judgeCommand("npm test && cargo publish", all)).toMatchObject({ is: "asks", part: "cargo publish" });
	});
	test("one for all commands allows what cannot be read, but not where another denies something", () => {
		expect(judged("eval $x", { allow: ["Bash"] })).toBe("allowed");
		expect(judged("eval $x", { allow: ["Bash"], deny: ["git push"] })).toBe("asks");
	});
	test("what cannot be read is asked about for no rule that comes with the program", () =>
		expect(judgeCommand("git $x", [BUILT_IN_RULES])).toMatchObject({ is: "unnamed" }));
});

describe("the rules that come with the program", () => {
	test.each(["ls -la", "cat x | head -5", "grep -r x . | wc -l", "git status && pwd", "command -v git", "cd x; ls"])(
		"allow what only reads: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("allowed"),
	);
	test.each(["cat x > y", "echo x >> y", "cat $(rm x)", "ls; rm x", "git -c core.pager=x status"])(
		"do not allow what may write: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("unnamed"),
	);
	test.each(["git push", "git -C x push --force", "npm --prefix x publish", "cargo +nightly publish", "docker push x"])(
		"ask about what others see: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("asks"),
	);
});

test("odd input of any kind is judged in bounded time, and never throws", () => {
	const pieces = [
		"git",
		"push",
		" ",
		"\n",
		"'",
		'"',
		"`",
		"$(",
		"${",
		"$((",
		")",
		"))",
		"}",
		"{",
		"(",
		"<<EOF",
		"EOF",
		"<",
		">",
		"&",
		"|",
		";",
		";;",
		"case",
		"in",
		"esac",
		"for",
		"do",
		"done",
		"[[",
		"]]",
		"\\",
		"#",
		"=",
		"*",
		"$'",
		"\uffff",
		"é",
		"\u{1f600}",
		"\r",
		"if",
		"then",
		"fi",
		"function",
		"xargs",
		"eval",
		"bash -c",
	];
	let seed = 7;
	const next = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return seed;
	};
	const sets = [BUILT_IN_RULES, rules({ deny: ["git push"], allow: ["git * x", "* a * b * c"] })];
	for (let n = 0; n < 3_000; n++) {
		const command = Array.from({ length: 1 + (next() % 25) }, () => pieces[(next() >> 8) % pieces.length]).join(
			next() % 2 ? "" : " ",
		);
		expect(judgeCommand(command, sets).is, command).toMatch(/^(denied|asks|allowed|unnamed)$/);
	}
	for (const long of [
		"$(".repeat(50_000),
		"(".repeat(50_000),
		"a ".repeat(100_000),
		"`".repeat(50_001),
		"a;".repeat(50_000),
		"bash -c ".repeat(10_000),
		"x=$((".repeat(9_000),
	])
		expect(judgeCommand(long, sets).is).toMatch(/^(asks|unnamed)$/);
}, 20_000);
