/** Where here-documents end, and what bash runs of them: the reader that rules are held against says what bash itself does. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are scripts of bash
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandParts, withInner } from "../../../src/core/rules/command-parts.ts";
import { diceOf } from "../../unit/dice.ts";
import { temporaryHome } from "../program.ts";

/** What `mark` was run with, by bash and by what the reader finds. */
function marksOf(): (script: string) => { bash: string; reader: string } {
	const home = temporaryHome();
	const [start, marks] = [join(home, "start.sh"), join(home, "marks")];
	writeFileSync(start, `mark() { echo "$1" >> "${marks}"; }\n`);
	return (script) => {
		rmSync(marks, { force: true });
		const env = { PATH: "/usr/bin:/bin", BASH_ENV: start };
		spawnSync("/bin/bash", ["-c", script], { cwd: home, env, stdio: "ignore", timeout: 2_000, killSignal: "SIGKILL" });
		const { parts, unread } = commandParts(script);
		const found = parts.flatMap(withInner).flatMap(({ words }) => (words[0] === "mark" ? [words[1] ?? ""] : []));
		const bash = existsSync(marks) ? readFileSync(marks, "utf8").trim().split("\n") : [];
		return { bash: said(bash), reader: unread === undefined ? said(found) : "unread" };
	};
}

const said = (marks: readonly string[]) => [...new Set(marks)].sort().join(" ");

/** End words that are plain, or quoted as a whole: they are read. */
const READ = new Set([
	"EOF",
	"'EOF'",
	'"EOF"',
	"\\EOF",
	"'E F'",
	'"E F"',
	"'$x'",
	"*",
	"~",
	"!",
	"E#F",
	"E=F",
	"é",
	"'é'",
	"if",
]);
/** End words, each with the line that ends its document. */
const ENDS: readonly (readonly [string, string])[] = [
	...(["EOF", "'EOF'", '"EOF"', "\\EOF", "E'O'F", 'E"O"F', "E\\OF", "$'EOF'", "$'E\\x4fF'", '$"EOF"'] as const).map(
		(word) => [word, "EOF"] as const,
	),
	...[["'E F'", "E F"] as const, ['"E F"', "E F"] as const, ["E\\ F", "E F"] as const, ["$'E\\'F'", "E'F"] as const],
	...[["''", ""] as const, ['""', ""] as const, ["$''", ""] as const, ["''EOF", "EOF"] as const],
	...[['"E\\OF"', "E\\OF"] as const, ['"E\\"F"', 'E"F'] as const, ['"E\\$F"', "E$F"] as const],
	...[['"E\\\\F"', "E\\F"] as const, ["'E\\F'", "E\\F"] as const, ["\\\\", "\\"] as const, ["\\'", "'"] as const],
	...[["$x", "$x"] as const, ["\\$x", "$x"] as const, ["'$x'", "$x"] as const, ["E$", "E$"] as const],
	...[["*", "*"] as const, ["E?F", "E?F"] as const, ["[E]", "[E]"] as const, ["{a,b}", "{a,b}"] as const],
	...[["{'a',b}", "{a,b}"] as const, ["~", "~"] as const, ["!", "!"] as const, ["E#F", "E#F"] as const],
	...[["EO\\\nF", "EOF"] as const, ['"EO\\\nF"', "EOF"] as const, ["E=F", "E=F"] as const, [" -EOF", "-EOF"] as const],
	...[
		["a[1]", "a[1]"] as const,
		["é", "é"] as const,
		["'é'", "é"] as const,
		["}", "}"] as const,
		["if", "if"] as const,
	],
];

test("an end word that is plain, or quoted as a whole, ends its document as bash ends it; of any other it is said that it is not read", () => {
	const marks = marksOf();
	const other: unknown[] = [];
	for (const [word, end] of ENDS)
		for (const line of new Set([end, word, "EOF", `${end} `, `\t${end}`]))
			for (const operator of ["<<", "<<-"]) {
				const script = `cat ${operator}${word}\n$(mark in)\n${line}\nmark out\n`;
				const { bash, reader } = marks(script);
				if (bash !== reader && (READ.has(word) || reader !== "unread")) other.push({ script, bash, reader });
				if (line === end && !bash.includes("out")) other.push({ script, bash });
			}
	expect(other).toEqual([]);
}, 60_000);

test.each([
	["several on a line", "cat <<A <<'B'\n$(mark a)\nA\n$(mark b)\nA\nB\nmark out"],
	["of several commands", "cat <<A; cat <<B && mark between\nmark a\nA\n$(mark b)\nB\nmark out"],
	["an end that never comes", "cat <<EOF\n$(mark in)\nmark no"],
	["an end in the last line, without a newline", "cat <<EOF\n$(mark in)\nEOF"],
	["a quoted one, where nothing is joined", "cat <<'EOF'\nx\\\nEOF\nmark out"],
	["what is escaped in it", "cat <<EOF\n\\$(mark in) \\`mark in\\` \\\\$(mark two)\nEOF"],
	["quotes in it, which are text", "cat <<EOF\n'$(mark one)' \"$(mark two)\" it's `mark three`\nEOF\nmark out"],
	["a comment behind it", "cat <<EOF # it's\n$(mark in)\nEOF\nmark out"],
	["in a substitution", "echo \"$(cat <<'EOF'\n$(mark in) it's )\nEOF\n)\"; mark out"],
	["in backticks", "echo `cat <<EOF\n$(mark in)\nEOF\nmark two`\nmark out"],
	["in a substitution in another one", "cat <<A\n$(cat <<'B'\n$(mark no)\nB\nmark in)\nA\nmark out"],
	["a substitution of a process", "cat <(cat <<EOF\n$(mark in)\nEOF\n) <<X\nX\nmark out"],
	["across the lines of a test", "cat <<'EOF' && [[ a &&\n1\nEOF\nb ]]; mark out\nEOF"],
	["across a quote, which bash reads first", "cat <<EOF '\n$(mark no)\nEOF\n' x\n$(mark in)\nEOF\nmark out"],
	["across a joined line", "cat <<EOF \\\n; mark one\n$(mark in)\nEOF\nmark out"],
	["behind a function", "f() {\ncat <<EOF\n$(mark in)\nEOF\n}\nf; mark out"],
	["of a loop", "while read -r x; do mark loop; done <<EOF\n$(mark in)\nEOF\nmark out"],
	["with tabs before its end", "if true; then\n\tcat <<-EOF\n\t$(mark in)\n\t\tEOF\n\tmark out\nfi"],
	["with spaces before its end, which are none", "cat <<-EOF\n  EOF\nmark in\nEOF\nmark out"],
	["what a shell reads", "bash <<'EOF'\nmark in\nEOF\nmark out"],
	["what a shell reads, as it is", "bash <<EOF\nmark in\nEOF\nmark out"],
	["what a shell reads, without its tabs", "bash <<-'EOF'\n\tcat <<X\n\tX\n\tmark in\n\tEOF\nmark out"],
	["the last input of a shell", "bash <<A <<'B'\nmark a\nA\nmark b\nB"],
	["a text behind a document", "bash <<'A' <<<'mark in'\nmark a\nA"],
	["a document behind a text", "bash <<<'mark no' <<'A'\nmark in\nA"],
	["by its number", "bash 0<<'EOF'\nmark in\nEOF"],
	["in what is evaluated", "eval \"cat <<'EOF'\n\\$(mark no)\nEOF\nmark in\"\nmark out"],
])("of a here-document %s bash runs what the reader finds", (_, script) => {
	const { bash, reader } = marksOf()(script);
	expect(reader).toBe(bash);
});

test.each([
	["an expansion in its end word", "cat <<$(x)\n$(mark in)\n$(x)\nmark out"],
	["braces of a parameter", "cat <<${x}\n$(mark in)\n${x}\nmark out"],
	["an end behind a parenthesis", "cat <<EOF $(mark in\n)\nx\nEOF\nmark out"],
	["an array before its line ends", "cat <<'EOF'; a=(\n1\nEOF\n)\nmark out\nEOF"],
	["an end word that more follows, and a parenthesis", "echo $(cat <<EOF\nx\nEOF; mark in)\nmark out"],
	["a joined end line", "cat <<EOF\nE\\\nOF\nmark out"],
	["a line that is joined to the end", "cat <<EOF\nx\\\nEOF\nmark in\nEOF\nmark out"],
	["a backslash that is escaped", "cat <<EOF\nx\\\\\nEOF\nmark out"],
	["three backslashes", "cat <<EOF\nx\\\\\\\nEOF\nmark in\nEOF\nmark out"],
	["a quoted end word that a parenthesis follows", "echo \"$(cat <<'EOF'\n$(mark in)\nEOF)\"\nmark out"],
	["in a subshell, where that does not close", "(cat <<EOF\nx\nEOF)\nmark in\nEOF\n)\nmark out"],
	["across the lines of a case", "cat <<'EOF'; case x\n1\nEOF\nin x) mark out;; esac\nEOF"],
	["across the patterns of a case", "cat <<'EOF'; case x in\n1\nEOF\nx) mark out;; esac\nEOF"],
	["a tab in the end word", "cat <<-'\tEOF'\nx\n\tEOF\nmark out\nEOF\n"],
	["what a parameter is without", 'cat <<EOF\n${x:-$(mark one)} ${y:-"$(mark two)"} $(( $(mark 3) + 1 ))\nEOF'],
	["in a substitution that closes behind the end word", "echo $(cat <<EOF\n$(mark in)\nEOF)\nmark out"],
	["a shell that reads what is expanded", "bash <<EOF\n$(echo mark in)\nEOF\nmark out"],
	["a shell whose input is another one", "echo 'mark in' | bash 3<<'EOF'\nmark no\nEOF"],
	["a shell whose last input is a file", "bash <<'EOF' </dev/null\nmark no\nEOF"],
])("a here-document with %s is not read, which is said", (_, script) =>
	expect(marksOf()(script).reader).toBe("unread"),
);

const PIECES = [
	"E",
	"'O'",
	'"F"',
	"\\E",
	"$'O'",
	'$"F"',
	"\\\\",
	"\\\n",
	"$x",
	"*",
	"{a,",
	"}",
	'"\\$"',
	'"\\E"',
	"''",
	"~",
];

test("of end words that are made of odd pieces, no command behind the document is overlooked", () => {
	const marks = marksOf();
	const dice = diceOf(20_271_011);
	const other: unknown[] = [];
	let ended = 0;
	for (let n = 0; n < 150; n++) {
		const word = Array.from({ length: 1 + dice.roll(4) }, () => dice.pick(PIECES)).join("");
		const bare = word.replaceAll("\\\n", "").replace(/\$(?=["'])|["']/g, "");
		const line = dice.pick([bare, bare.replaceAll("\\\\", "\\"), bare.replaceAll(/\\([^E]|E(?!"))/g, "$1"), word]);
		const { bash, reader } = marks(`cat <<${word}\n$(mark in)\n${line}\nmark out\n`);
		if (bash.includes("out")) ended += 1;
		if (bash !== reader && reader !== "unread") other.push({ word, line, bash, reader });
	}
	expect(other).toEqual([]);
	expect(ended).toBeGreaterThan(50);
}, 60_000);
