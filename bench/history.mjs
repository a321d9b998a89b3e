/**
 * What a long history costs in each turn: the processor time of supervisor and agent, without that of a bare program which
 * posts messages of the same size to the same service, since the service must get them.
 * Usage: npm run bench -- history
 */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { inHome, withRun } from "./a-run.mjs";
import { rounded } from "./figures.mjs";
import { TICKS_A_SECOND, ticksOf } from "./processor-time.mjs";
import { keepResults } from "./results.mjs";
import { startService } from "./service.mjs";

const LINES = 600; // of 34 bytes: 20 KB, all of which the model sees
const LONG = 20; // turns that print so much: 400 KB
const SHORT = 0;
const WARM_UP = 60; // turns; with the measured ones they add 50 to 100 KB of calls and results to either history
const TURNS = 150;
const AIM = 2;

const BARE = `
const [url, texts, small] = process.argv.slice(1);
const text = "x".repeat(${LINES * 34});
const messages = [...Array(Number(texts)).fill(text), ...Array(Number(small)).fill("x".repeat(150))].map((text) => ({ role: "user", content: [{ type: "text", text }] }));
const post = async () => (await fetch(url, { method: "POST", body: JSON.stringify({ messages }) })).text();
(async () => {
	for (let i = 0; i < ${WARM_UP}; i++) await post();
	const before = process.cpuUsage();
	for (let i = 0; i < ${TURNS}; i++) await post();
	const { user, system } = process.cpuUsage(before);
	console.log((user + system) / 1000 / ${TURNS});
})();`;

const [short, long] = [await turnMs(SHORT), await turnMs(LONG)];
const ratio = long.ms / short.ms;
console.log(
	`history: a turn with ${(LONG * LINES * 34) / 1000} KB more costs supervisor and agent ${long.ms} ms of processor time, without them ${short.ms} ms, ratio ${ratio.toFixed(2)} (aim: at most ${AIM}; ${TURNS} turns; without the ${long.bareMs} and ${short.bareMs} ms of a bare program)`,
);
keepResults("history", { turns: TURNS, longMs: long.ms, shortMs: short.ms, ratio: rounded(ratio) });

async function turnMs(texts) {
	const begin = texts + WARM_UP;
	const ticks = [];
	let turns = 0;
	let pid;
	const service = await startService(async () => {
		turns += 1;
		if (turns === begin || turns === begin + TURNS) ticks.push(sumOf(ticksOf(pid)));
		if (turns > begin + TURNS) return { type: "text", text: "done" };
		const command = turns <= texts ? `seq -f 'line %08g of a file with words.' ${LINES}` : "true";
		return { type: "tool_use", id: `call_${turns}`, name: "bash", input: { command } };
	});
	await inHome(({ cwd, env }) => {
		const args = ["-q", "--max-turns", "1000", "--max-total-turns", "1000", "run"];
		return withRun(args, { cwd, env: { ...env, ...service.env } }, (run) => {
			pid = run.pid;
			run.stdout.resume();
			run.stderr.resume();
			return new Promise((resolve) => run.once("exit", resolve));
		});
	});
	service.close();
	const [before, after] = ticks;
	const ms = ((after - before) * 1000) / TICKS_A_SECOND / TURNS;
	const bareMs = await bareTurnMs(texts);
	return { ms: rounded(ms - bareMs), bareMs: rounded(bareMs) };
}

async function bareTurnMs(texts) {
	const service = await startService(() => ({ type: "text", text: "done" }));
	const { ANTHROPIC_BASE_URL: url } = service.env;
	const child = spawn(process.execPath, ["-e", BARE, url, texts, 2 * WARM_UP + TURNS], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	const printed = await text(child.stdout);
	service.close();
	return Number(printed);
}

function sumOf(ticks) {
	return [...ticks.values()].reduce((sum, each) => sum + each, 0);
}
