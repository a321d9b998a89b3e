/** What bash really runs of odd scripts is never overlooked by the reader that rules are held against. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandParts } from "../../../src/core/rules/command-parts.ts";
import { judgeCommand } from "../../../src/core/rules/decide-command.ts";
import { ruleSet } from "../../../src/core/rules/rule.ts";
import { diceOf } from "../../unit/dice.ts";
import { temporaryHome } from "../program.ts";

/** Nothing of them runs in the background: what it did would be taken for that of the next script. */
const PIECES = [
	...["git push", "git push;", "\ngit push\n", "git", "push", "echo", "x", "x)", "1", "=", "a=(", "#", " #", "!"],
	...[" ", "\n", "\t", "'", '"', "`", "\\", "\\\n", "$'", "$(", "${y:-", "$((", "((", "(", ")", "))", "{ ", "}"],
	...[" <<EOF\n", " <<'EOF'\n", "\nEOF\n", "<<-A B\n", "\nA\n", "<", ">o", "<<<", "&&", "||", "|", ";", "; ", ";;"],
	...["case x in ", " esac", "for i in ", "; do ", "; done", "while ", "if ", "; then ", "; fi", "[[ ", " ]]"],
	...["f() ", "function f ", "eval ", "bash -c ", "timeout 1 ", "env ", "xargs ", "time ", "command ", "exec "],
	...[
		"trap '",
		"' EXIT",
		"{git,push}",
		"$x",
		"*",
		"{git,",
		",",
		"push}",
		"coproc ",
		"env -S ",
		"$'\\x67it' push",
		"PATH=x ",
	],
];

const SCRIPTS = 900;

test("of scripts that are made of odd pieces, each of which bash makes a push is asked about or denied", () => {
	const home = temporaryHome();
	const [bin, mark] = [join(home, "bin"), join(home, "pushed")];
	mkdirSync(bin);
	writeFileSync(join(bin, "git"), `#!/bin/sh\n[ "$1" = push ] && : > "${mark}"\nexit 0\n`);
	chmodSync(join(bin, "git"), 0o755);
	for (const [name, path] of [
		["sh", "/bin/sh"],
		["bash", "/bin/bash"],
		["env", "/usr/bin/env"],
		["xargs", "/usr/bin/xargs"],
		["timeout", "/usr/bin/timeout"],
	] as const)
		symlinkSync(path, join(bin, name));
	const rules = [ruleSet({ source: "you", allow: [], ask: [], deny: ["git push"] })];
	const dice = diceOf(20_261_128);
	let pushes = 0;
	const overlooked: string[] = [];
	for (let n = 0; n < SCRIPTS; n++) {
		const script = Array.from({ length: 2 + dice.roll(8) }, () => dice.pick(PIECES)).join("");
		const args = ["-s", "KILL", "1", "/bin/bash", "-c", script];
		spawnSync("/usr/bin/timeout", args, { cwd: home, env: { PATH: bin }, stdio: "ignore" });
		if (!existsSync(mark)) continue;
		rmSync(mark);
		pushes += 1;
		const { is } = judgeCommand(commandParts(script), rules);
		if (is !== "denied" && is !== "asks") overlooked.push(script);
	}
	expect(overlooked).toEqual([]);
	expect(pushes).toBeGreaterThan(15);
}, 60_000);
