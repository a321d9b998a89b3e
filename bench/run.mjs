/**
 * What everyday commands take, divided by `node -e 0`, all in turns: `agent run` with one turn against a service on
 * 127.0.0.1 that answers at once, and `agent run --model shell true`, both without a sandbox and in one; a chat to its
 * prompt, `agent ps`, and `agent --version`. CPU is that of all processes, as bash counts it.
 * Usage: npm run bench -- run
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { inHome, PROGRAM } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";
import { startService } from "./service.mjs";

const ROUNDS = 20;
const WARM_UP = 2;
const TIMED = `TIMEFORMAT='%U %S'; echo $EPOCHREALTIME; time "$@"`;
const PROMPT = /\/help for more[\s\S]*> /;
const CTRL_D = "\x04";

const OFF = ["--sandbox", "off"];
const ON = ["--sandbox", "workspace"];
const SHELL_TRUE = ["--model", "shell", "true"];
/** `aim`: of what is timed, in this order. */
const ROWS = [
	{ name: "run", args: ["run", ...OFF, "answer"], timed: ["request", "whole"], aim: [4, 5.5] },
	{ name: "sandboxedRun", args: ["run", ...ON, "answer"], timed: ["request", "whole"], aim: [4, 5.5] },
	{ name: "shell", args: ["run", ...OFF, ...SHELL_TRUE], timed: ["whole"], aim: [4] },
	{ name: "sandboxedShell", args: ["run", ...ON, ...SHELL_TRUE], timed: ["whole"], aim: [5] },
	{ name: "chat", args: ["chat"], timed: ["prompt"], aim: [3] },
	{ name: "ps", args: ["ps"], timed: ["whole"], aim: [2.5] },
	{ name: "version", args: ["--version"], timed: ["whole"], aim: [1.5] },
].filter(({ args }) => hasSandbox() || !args.includes("workspace"));

let requestedAt;
const service = await startService((now) => {
	requestedAt = now;
	return { type: "text", text: "done" };
});
const rounds = await inHome(async ({ cwd, env }) => {
	const place = { cwd, env: { ...env, ...service.env, SHELL: "/bin/bash", TERM: "xterm" } };
	const measured = [];
	for (let round = 0; round < WARM_UP + ROUNDS; round++) {
		const figures = { node: await timeOf(["-e", "0"], place) };
		for (const { name, args } of ROWS)
			figures[name] = await (name === "chat" ? timeOfChat : timeOf)([PROGRAM, ...args], place);
		measured.push(figures);
	}
	return measured.slice(WARM_UP);
});
service.close();

const medianOf = (name, what) => median(rounds.map((round) => round[name][what]));
const ratioOf = (name, what) =>
	median(rounds.map((round) => round[name][what] / round.node[what === "cpu" ? "cpu" : "whole"]));
const figures = {};
for (const { name, args, timed, aim } of ROWS) {
	const told = timed.map((what, i) => `${what} ${ratioOf(name, what).toFixed(1)} (aim: at most ${aim[i]})`);
	console.log(
		`run: agent ${args.join(" ")}: ${told.join(", ")}, CPU ${ratioOf(name, "cpu").toFixed(1)} times node -e 0`,
	);
	const measured = [...timed, "cpu"].map((what) => [
		[`${what}Ms`, rounded(medianOf(name, what), 1)],
		[what, rounded(ratioOf(name, what))],
	]);
	figures[name] = Object.fromEntries(measured.flat());
}
const nodeMs = medianOf("node", "whole");
console.log(`run: node -e 0 takes ${nodeMs.toFixed(1)} ms (medians of ${ROUNDS})`);
keepResults("run", { rounds: ROUNDS, nodeMs: rounded(nodeMs, 1), ...figures });

function hasSandbox() {
	return spawnSync("bwrap", ["--version"]).status === 0;
}

/** Milliseconds from the start of the process. Throws unless it ends well. */
async function timeOf(args, place) {
	const bash = spawn("bash", ["-c", `${TIMED} > /dev/null`, "bash", process.execPath, ...args], {
		...{ ...place, stdio: ["ignore", "pipe", "pipe"] },
	});
	let [printed, told, endedAt] = ["", "", 0];
	bash.stdout.on("data", (text) => {
		printed += text;
	});
	bash.stderr.on("data", (text) => {
		told += text;
		endedAt = performance.now();
	}); // what bash says of the time, at the end
	const [code] = await once(bash, "close");
	if (code !== 0) throw new Error(`agent ${args.slice(1).join(" ")} ended with exit status ${code}: ${told}`);
	const startedAt = sinceOrigin(printed);
	return { whole: endedAt - startedAt, request: requestedAt - startedAt, cpu: cpuIn(told) };
}

/** In a terminal, which is left as soon as it shows the prompt. */
async function timeOfChat(args, place) {
	const line = TIMED.replace('"$@"', [process.execPath, ...args].map((arg) => `'${arg}'`).join(" "));
	const script = spawn("script", ["-qec", line, "/dev/null"], { ...place, stdio: ["pipe", "pipe", "inherit"] });
	let [shown, promptAt] = ["", undefined];
	script.stdout.on("data", (text) => {
		shown += text;
		if (promptAt !== undefined || !PROMPT.test(shown)) return;
		promptAt = performance.now();
		script.stdin.write(CTRL_D);
	});
	const [code] = await once(script, "close");
	if (code !== 0 || promptAt === undefined) throw new Error(`agent chat ended with exit status ${code}: ${shown}`);
	return { prompt: promptAt - sinceOrigin(shown), cpu: cpuIn(shown) };
}

/** The time that bash has printed first, as performance.now() gives it. */
function sinceOrigin(printed) {
	return Number.parseFloat(printed) * 1000 - performance.timeOrigin;
}

/** User and system time, in seconds, printed last. */
function cpuIn(printed) {
	const [, user, system] = /([\d.]+) ([\d.]+)\s*$/.exec(printed);
	return (Number(user) + Number(system)) * 1000;
}
