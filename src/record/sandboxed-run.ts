/** The run around a command in a sandbox, which hides the run's files: its supervisor tells how it stands. */
import { existsSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";
import { type AgentId, isAgentId, isOver, ROOT } from "../core/model/agent.ts";
import { parseCookie } from "../core/run/cookie.ts";
import { EMPTY_RUN, type RunState, reduce } from "../core/run/run-state.ts";
import { askSupervisor } from "../wire/run-client.ts";
import type { ToWatcher } from "../wire/watcher-messages.ts";
import type { CommandOutput } from "./command-output.ts";
import { runDirectory, runFilePath } from "./run-directory.ts";
import type { FollowEnd, Following, RunSnapshot, RunSource } from "./run-source.ts";
import { supervisorAt, unreachable, wordsFor } from "./supervisor-process.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export class SandboxedRun implements RunSource {
	readonly run: string;
	readonly socket: string;
	/** Where people find its files. */
	readonly directory: string;
	/** The agent that is meant. */
	readonly agent: AgentId;
	/** It was named. */
	readonly isNamed: boolean;
	/** Called when the supervisor takes long. */
	onSlow: (who: string) => void = () => {};

	private constructor(socket: string, place: Pick<SandboxedRun, "run" | "directory">, agent: AgentId | undefined) {
		this.run = place.run;
		this.directory = place.directory;
		this.socket = socket;
		this.agent = agent ?? ROOT;
		this.isNamed = agent !== undefined;
	}

	/** Undefined outside of a run, where its files are there, and for a ref of another run. */
	static around(env: Environment, home: string, ref: string | undefined): SandboxedRun | undefined {
		const run = parseCookie(env)?.run;
		const socket = env.AGENTREE_SOCKET;
		if (run === undefined || socket === undefined || !isHidden(env, home, run)) return undefined;
		const [named, agent = named] = ref?.split("/") ?? [];
		if (ref?.includes("/") && named !== undefined && !run.endsWith(named) && !run.startsWith(named)) return undefined;
		const isNamed = agent !== undefined && isAgentId(agent);
		if (ref !== undefined && !isNamed && !run.endsWith(ref)) return undefined;
		return new SandboxedRun(socket, { run, directory: runDirectory(home, run) }, isNamed ? agent : undefined);
	}

	/** Its file is made of what the supervisor tells. Throws AgentreeError. */
	async snapshot(): Promise<RunSnapshot> {
		const state = (await this.watch((found) => found)) ?? EMPTY_RUN;
		const { run, task, cwd, model, limits, pid, startTime, startedAt } = state;
		const supervisor = { pid, startTime };
		const file = {
			...{ format: 0, run, task, cwd, model, limits, supervisor, startedAt },
			...{ socket: this.socket, version: "" },
		};
		return { file, state, isSuspended: false, damage: [] };
	}

	/** Gives the events from now on. An agent that the run does not have is over. */
	async follow({ agent, onEvent, signal }: Following): Promise<FollowEnd> {
		const isDone = ({ ended, agents }: RunState) => {
			const found = agent === undefined ? undefined : agents[agent];
			return agent === undefined ? ended !== undefined : found === undefined || isOver(found);
		};
		const hear = (message: ToWatcher) => {
			if (message.say === "event") onEvent(message.event, JSON.stringify(message.event));
		};
		return (await this.watch((state) => isDone(state) || undefined, { hear, signal })) ? "ended" : "aborted";
	}

	output(_agent: AgentId, _log: string): CommandOutput {
		throw filesHidden(this.run);
	}

	lastText(): string {
		return "";
	}

	/** Watches the run until `find` finds something in its state. Undefined when `signal` is aborted. */
	private async watch<T>(
		find: (state: RunState) => T | undefined,
		also: { hear?: (message: ToWatcher) => void; signal?: AbortSignal | undefined } = {},
	): Promise<T | undefined> {
		let state = EMPTY_RUN;
		const hear = (message: ToWatcher) => {
			also.hear?.(message);
			if (message.say !== "snapshot" && message.say !== "event") return undefined;
			state = message.say === "snapshot" ? message.state : reduce(state, message.event);
			return find(state);
		};
		const who = wordsFor(this.run);
		const watching = { say: [{ say: "watch" }], hear, signal: also.signal } as const;
		const outcome = await askSupervisor<T>(supervisorAt(this.socket), watching, { onSlow: () => this.onSlow(who) });
		switch (outcome.is) {
			case "answer":
				return outcome.answer;
			case "refused":
				throw new AgentreeError("refused", outcome.reason);
			case "no_answer":
				if (outcome.because === "aborted") return undefined;
				throw unreachable(`${who} ${outcome.why}`);
		}
	}
}

/** Whether the files of the run around this process are hidden from it, by a sandbox. */
export function isHidden(env: Environment, home: string, run: string): boolean {
	return Boolean(env.AGENTREE_SOCKET) && !existsSync(runFilePath(runDirectory(home, run)));
}

export function filesHidden(run: string): AgentreeError {
	const others = "use agent ps, show, log, why, wait, send, stop and pause instead";
	return new AgentreeError("refused", `the files of run ${run} cannot be read in a sandbox; ${others}`);
}
