/**
 * What a run means, for every face: `RunView` is made of the run's state, of what is known beside its events, and of the time.
 * What it says of an agent is made when it is asked for, and what is counted over all agents once for a state of them.
 */
import { type Doing, doingOf } from "../../core/doing.ts";
import { type Agent, type AgentId, depthOf, hasFailed, isOver } from "../../core/model/agent.ts";
import type { RunState, Totals } from "../../core/run/run-state.ts";
import { totalsWithin } from "../../core/run/spending.ts";
import { formatDuration } from "../../text/durations.ts";
import { cleanText, firstLine } from "../../text/safe/terminal-safe.ts";
import { type Activity, isSilent, NO_ACTIVITY, quietSince, seenOf } from "./activity.ts";
import { type AgentTree, inTreeOrder, nameOf, silentBelow, type TreeBranch, treeOf } from "./agent-tree.ts";
import {
	ageOf,
	detailOf,
	doingLine,
	doingTone,
	doingWord,
	type Known,
	phraseOf,
	stateWord,
	type Tone,
	timeInState,
} from "./doing-now.ts";

export interface Sight {
	readonly run: RunState;
	/** Milliseconds since the epoch. */
	readonly now: number;
	readonly activity?: Activity | undefined;
	/** The headline of the answer of one that has ended with one; of one that thinks, the line that it writes. */
	readonly says?: (agent: Agent) => string | undefined;
}

export class RunView {
	readonly sight: Sight;
	private readonly views = new Map<AgentId, AgentView>();

	constructor(sight: Sight) {
		this.sight = sight;
	}

	get tree(): AgentTree {
		return treeOf(this.sight.run.agents);
	}

	/** All agents in the order of the tree. */
	get agents(): AgentView[] {
		return inTreeOrder(this.sight.run.agents).map((agent) => this.of(agent));
	}

	of(agent: Agent): AgentView {
		const known = this.views.get(agent.id);
		if (known?.agent === agent) return known;
		const view = new AgentView(agent, this.sight);
		this.views.set(agent.id, view);
		return view;
	}

	agent(id: AgentId): AgentView | undefined {
		const agent = this.sight.run.agents[id];
		return agent && this.of(agent);
	}
}

export class AgentView {
	readonly agent: Agent;
	private readonly sight: Sight;

	constructor(agent: Agent, sight: Sight) {
		this.agent = agent;
		this.sight = sight;
	}

	get id(): AgentId {
		return this.agent.id;
	}

	get depth(): number {
		return depthOf(this.agent.id);
	}

	/** The words in which its task differs from those of its siblings. */
	get name(): string {
		const { id, task } = this.agent;
		return nameOf(this.sight.run.agents, id) || firstLine(cleanText(task));
	}

	get isOver(): boolean {
		return isOver(this.agent);
	}

	get doing(): Doing {
		return doingOf(this.agent);
	}

	/** What it does, as people read it: `running`, `awaiting you`. */
	get word(): string {
		return doingWord(this.doing);
	}

	/** The same as the JSON has it; of one that has ended how: `waiting`, `failure`. */
	get state(): string {
		return stateWord(this.agent);
	}

	get tone(): Tone {
		return doingTone(this.agent);
	}

	/** How long it has been in its state; of one that has ended, how long it lived. */
	get forMs(): number {
		return timeInState(this.agent, this.sight.now);
	}

	get ageMs(): number {
		return ageOf(this.agent, this.sight.now);
	}

	/** For how long nothing has come of it; undefined where nothing is to come. */
	get quietMs(): number | undefined {
		const since = quietSince(this.agent, this.activity);
		return since === undefined ? undefined : Math.max(0, this.sight.now - since);
	}

	/** It has been quiet for so long that somebody should look, while nothing explains it. */
	get isSilent(): boolean {
		return isSilent(this.agent, this.activity, this.sight.now);
	}

	/** What all its running commands have computed; undefined when that is not known. */
	get cpuMs(): number | undefined {
		const { id, running } = this.agent;
		const known = running.flatMap(({ command }) => seenOf(this.activity, id, command)?.cpuMs ?? []);
		return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
	}

	/** Beside the word: `$ make`, `turn 3`, what it answered, why it failed. */
	get detail(): string {
		return detailOf(this.agent, this.known);
	}

	/** The word with the detail. */
	get phrase(): string {
		return phraseOf(this.agent, this.known);
	}

	/** The word, for how long, and the detail. */
	get line(): string {
		return doingLine(this.agent, this.known);
	}

	/** What is wrong with it; undefined when nothing is. */
	get problem(): string | undefined {
		if (this.doing === "retrying" || this.state === "failure") return this.phrase;
		if (hasFailed(this.agent)) return this.detail;
		return this.isSilent ? `silent for ${formatDuration(this.quietMs ?? 0)}` : undefined;
	}

	/** Undefined for an agent with none below it. */
	get branch(): TreeBranch | undefined {
		return treeOf(this.sight.run.agents).branches.get(this.agent.id);
	}

	/** How many agents below it are silent. */
	get silentBelow(): number {
		const { run, now } = this.sight;
		return silentBelow(run.agents, this.activity, now).get(this.agent.id) ?? 0;
	}

	/** What it has used with all below it. */
	get subtree(): Totals {
		return totalsWithin(this.sight.run, this.agent.id);
	}

	private get activity(): Activity {
		return this.sight.activity ?? NO_ACTIVITY;
	}

	private get known(): Known {
		const { run, now, activity, says } = this.sight;
		return { now, activity, slowed: run.slowed, below: this.branch?.below, says: says?.(this.agent) };
	}
}
