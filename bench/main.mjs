/**
 * `npm run bench` measures all, `npm run bench -- NAME [argument …]` one of them. A benchmark is a program of its own,
 * which prints its figures and keeps them with `results.mjs`; to add one, add its line to the table.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const BENCHMARKS = {
	run: "run.mjs",
	gate: "gate.mjs",
	start: "start-up.mjs",
	nesting: "nesting.mjs",
	sandbox: "sandbox.mjs",
	"fan-out": "fan-out.mjs",
	gap: "gap.mjs",
	history: "history.mjs",
	idle: "idle.mjs",
	many: "many-agents.mjs",
	scale: "scale.mjs",
};

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && !Object.hasOwn(BENCHMARKS, name)) {
	console.error(`no benchmark ${name}: there are ${Object.keys(BENCHMARKS).join(", ")}`);
	process.exit(2);
}
for (const each of name === undefined ? Object.keys(BENCHMARKS) : [name]) {
	const program = fileURLToPath(new URL(BENCHMARKS[each], import.meta.url));
	const [code] = await once(spawn(process.execPath, [program, ...rest], { stdio: "inherit" }), "exit");
	if (code !== 0) process.exitCode = 1;
}
