/**
 * A run played to its end: every agent starts its children in one command, waits for them, thinks once more and
 * answers. Which of the agents moves next, the dice say; every one that could move, in any order, must get to its end.
 */
import { type AgentId, depthOf, isOver, parentOf } from "../../../../src/core/model/agent.ts";
import { livingAgents } from "../../../../src/core/run/run-state.ts";
import type { Decision } from "../../../../src/supervisor/decide/supervisor-state.ts";
import type { Dice } from "../../dice.ts";
import { type Scenario, told } from "./scenario.ts";

export interface PlayOptions {
	depth: number;
	width: number;
	/** Of a hundred moves, how many are the sudden death of an agent. */
	deathsPerHundred: number;
	/** The command of an agent with children may end while they live. */
	mayLeaveChildren: boolean;
}

type Phase = "new" | "asking" | "thought" | "commanding" | "asking again" | "done";

/** Calls `check` after every move. Gives the number of moves; throws when agents live and none can move. */
export function play(run: Scenario, dice: Dice, options: PlayOptions, check: (alive: Tally) => void): number {
	const phases = new Map<AgentId, Phase>();
	const started = new Map<AgentId, number>();
	const tally: Tally = new Map();
	run.root();
	for (let moves = 0; ; moves++) {
		const alive = livingAgents(run.state().run);
		if (alive.length === 0) return moves;
		const possible = alive.filter(mayMove);
		const agent = dice.pick(possible);
		if (agent === undefined) throw new Error(`stands still: ${JSON.stringify(run.slots())}`);
		const victim = dice.roll(100) < options.deathsPerHundred ? dice.pick(alive) : undefined;
		const decision = victim === undefined || victim === "1" ? move(agent) : run.gone(victim);
		count(tally, decision, run);
		check(tally);
	}

	function mayMove(id: AgentId): boolean {
		const phase = phases.get(id) ?? "new";
		if (run.state().stops.has(id)) return true;
		if (phase === "asking" || phase === "asking again") return run.state().asks.get(id)?.isCalling === true;
		if (phase !== "commanding" || hasMoreToStart(id) || options.mayLeaveChildren) return true;
		return childrenOf(id).length === 0;
	}

	function move(id: AgentId): Decision {
		if (run.state().stops.has(id)) return run.finish(id, run.state().stops.get(id));
		const phase = phases.get(id) ?? "new";
		switch (phase) {
			case "new":
				return to(id, "asking", () => run.ask(id));
			case "asking":
				return to(id, "thought", () => run.answer(id));
			case "thought":
				return to(id, "commanding", () => run.command(id, 1));
			case "commanding":
				if (!hasMoreToStart(id)) return to(id, "asking again", () => endsAndAsks(id));
				started.set(id, (started.get(id) ?? 0) + 1);
				return run.child(id, 1);
			case "asking again":
				return to(id, "done", () => run.answer(id));
			case "done":
				return run.finish(id);
		}
	}

	function endsAndAsks(id: AgentId): Decision {
		count(tally, run.commandEnds(id, 1), run);
		return run.ask(id);
	}

	function to(id: AgentId, phase: Phase, act: () => Decision): Decision {
		phases.set(id, phase);
		return act();
	}

	function hasMoreToStart(id: AgentId): boolean {
		return depthOf(id) < options.depth && (started.get(id) ?? 0) < options.width;
	}

	function childrenOf(id: AgentId): AgentId[] {
		return livingAgents(run.state().run).filter((other) => parentOf(other) === id);
	}
}

/** By parent: how many children of its command live, as it was told last. */
export type Tally = Map<AgentId, number>;

function count(tally: Tally, decision: Decision, run: Scenario): void {
	for (const { id } of Object.values(run.state().run.agents)) {
		for (const message of told(decision, id)) if (message.say === "children") tally.set(id, message.alive);
	}
}

export function trueTally(run: Scenario, parent: AgentId): number {
	return Object.values(run.state().run.agents).filter((agent) => parentOf(agent.id) === parent && !isOver(agent))
		.length;
}
