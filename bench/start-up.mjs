/**
 * What one more agent costs, beside a bare `node` on the same machine in the same minute:
 * start-up (from exec to the join at the supervisor) as a ratio to `node -e 0`, and memory (PSS) with 20 agents alive.
 * Usage: npm run bench -- start
 */
import { readFileSync } from "node:fs";
import { eventsIn, inHome, leavesAtWork, outputOfRun, withRun } from "./a-run.mjs";
import { median, rounded } from "./figures.mjs";
import { keepResults } from "./results.mjs";

const ROUNDS = 20;
const WARM_UP = 2;
const AIM = 1.27;
const AIM_MIB = 8.8;

keepResults("start", { rounds: ROUNDS, ...(await inHome(startUp)), ...(await inHome(memory)) });

async function startUp(place) {
	const task = `for i in $(seq ${ROUNDS + WARM_UP}); do a=$EPOCHREALTIME; "${process.execPath}" -e 0; b=$EPOCHREALTIME; agent true; echo $a $b; done`;
	const output = await outputOfRun(["--model", "shell", task], place);
	const joins = eventsIn(place.home).filter(({ event, agent }) => event === "agent_joined" && agent !== "1");
	const rounds = output
		.trim()
		.split("\n")
		.map((line, i) => {
			const [before, started] = line.split(" ").map((seconds) => Number(seconds) * 1000);
			return { bareMs: started - before, joinMs: joins[i].at - started };
		})
		.slice(WARM_UP);
	const nodeMs = median(rounds.map(({ bareMs }) => bareMs));
	const joinMs = median(rounds.map(({ joinMs }) => joinMs));
	const ratio = median(rounds.map(({ bareMs, joinMs }) => joinMs / bareMs));
	console.log(
		`start-up: join ${joinMs.toFixed(1)} ms, node -e 0 ${nodeMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)} (aim: at most ${AIM}; medians of ${ROUNDS})`,
	);
	return { joinMs: rounded(joinMs, 1), nodeMs: rounded(nodeMs, 1), ratio: rounded(ratio) };
}

function memory(place) {
	const task = `for i in $(seq ${ROUNDS}); do agent "sleep 60" & done; wait`;
	const args = ["--max-children", "32", "--max-concurrency", "32", "--model", "shell", task];
	return withRun(args, place, async () => {
		await leavesAtWork(place.home, ROUNDS);
		const joins = eventsIn(place.home).filter(({ event, agent }) => event === "agent_joined" && agent !== "1");
		const sizes = joins.map(({ pid }) => pssMib(pid));
		const [middle, most] = [median(sizes), Math.max(...sizes)];
		console.log(
			`memory: ${middle.toFixed(1)} MiB PSS an agent, most ${most.toFixed(1)}, with ${sizes.length} alive (aim: at most ${AIM_MIB} MiB)`,
		);
		return { agentsAlive: sizes.length, pssMib: rounded(middle, 1), mostPssMib: rounded(most, 1) };
	});
}

/** What is shared with others counts by its part. */
function pssMib(pid) {
	return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) / 1024;
}
