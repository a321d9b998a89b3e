/**
 * What one more level of nesting costs, beside a bare `node` in the same second: `agent 'agent true'` takes longer than
 * `agent true` by the start, the two model calls, the command and the end of one agent. And the processor time of all
 * processes of a run, supervisor and commands included, for each of its agents.
 * Usage: npm run bench -- nesting
 */
import { inHome, outputOfRun, PROGRAM } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { cpuMsOf } from "./processor-time.mjs";
import { keepResults } from "./results.mjs";

const ROUNDS = 40;
const WARM_UP = 2;
const AIM = 1.8;
const AGENTS = 60;
const CPU_ROUNDS = 3;
const CPU_AIM = 2.2;

const timed = `t=$EPOCHREALTIME; "${process.execPath}" -e 0; t+=" $EPOCHREALTIME"; agent true; t+=" $EPOCHREALTIME"; agent 'agent true'; echo $t $EPOCHREALTIME`;
const task = `for i in $(seq ${WARM_UP + ROUNDS}); do ${timed}; done > times; cat times`;
const limits = ["--max-agents", "1000", "--max-total-turns", "10000"];

await inHome(async (place) => {
	const output = await outputOfRun([...limits, "--model", "shell", task], place);
	const lines = output.split("\n").filter((line) => /^[\d. ]+$/.test(line));
	const rounds = lines.slice(WARM_UP).map(roundOf);
	const bareMs = median(rounds.map(({ bareMs }) => bareMs));
	const levelMs = median(rounds.map(({ levelMs }) => levelMs));
	const ratio = median(rounds.map((round) => round.levelMs / round.bareMs));
	console.log(
		`nesting: one more level ${levelMs.toFixed(1)} ms, node -e 0 ${bareMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (aim: at most ${AIM}; medians of ${rounds.length})`,
	);
	const processorTime = cpuOfAgents(place);
	console.log(
		`nesting: processor time of all processes, for each of ${AGENTS} agents ${processorTime.agentMs} ms, node -e 0 ${processorTime.nodeMs} ms, ratio ${processorTime.ratio} (aim: at most ${CPU_AIM}; medians of ${CPU_ROUNDS})`,
	);
	keepResults("nesting", {
		processorTime,
		rounds: rounds.length,
		levelMs: rounded(levelMs, 1),
		nodeMs: rounded(bareMs, 1),
		ratio: rounded(ratio),
	});
});

function roundOf(line) {
	const [start, bare, one, two] = line.split(" ").map((seconds) => Number(seconds) * 1000);
	return { bareMs: bare - start, levelMs: two - one - (one - bare) };
}

function cpuOfAgents(place) {
	const loop = (command) => `for i in $(seq ${AGENTS}); do ${command}; done`;
	const run = (task) =>
		cpuMsOf(`"${process.execPath}" "${PROGRAM}" run ${limits.join(" ")} --model shell '${task}'`, place);
	const each = Array.from({ length: CPU_ROUNDS }, () => ({
		node: cpuMsOf(loop(`"${process.execPath}" -e 0`), place) / AGENTS,
		agent: (run(loop("agent true")) - run("true")) / AGENTS,
	}));
	const middle = (of) => rounded(median(each.map(of)), 2);
	return {
		agentMs: middle(({ agent }) => agent),
		nodeMs: middle(({ node }) => node),
		ratio: middle(({ agent, node }) => agent / node),
	};
}
