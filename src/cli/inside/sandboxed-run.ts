/** The run around a command in a sandbox, from which its files are hidden: what of it the command knows, and may ask. */
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isAgentId, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../core/run/run-state.ts";
import { type Io, isHidden } from "../../faces/print/io.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { supervisorAt, unreachable, wordsFor } from "../../record/supervisor-process.ts";
import { askSupervisor } from "../../wire/run-client.ts";
import type { ToWatcher } from "../../wire/watcher-messages.ts";

export interface SandboxedRun {
	readonly run: string;
	readonly socket: string;
	readonly directory: string;
	/** The agent that is meant. */
	readonly agent: AgentId;
	/** It was named. */
	readonly isNamed: boolean;
}

/** Undefined outside of a run, where its files are there, and for a ref of another run. */
export function sandboxedRun(
	{ env }: Pick<Io, "env">,
	home: string,
	ref: string | undefined,
): SandboxedRun | undefined {
	const run = parseCookie(env)?.run;
	const socket = env.AGENTREE_SOCKET;
	if (run === undefined || socket === undefined || !isHidden({ env }, home, run)) return undefined;
	const [named, agent = named] = ref?.split("/") ?? [];
	if (ref?.includes("/") && named !== undefined && !run.endsWith(named) && !run.startsWith(named)) return undefined;
	const isNamed = agent !== undefined && isAgentId(agent);
	if (ref !== undefined && !isNamed && !run.endsWith(ref)) return undefined;
	return { run, socket, directory: runDirectory(home, run), agent: isNamed ? agent : ROOT, isNamed };
}

/** Watches the run until `find` finds something in its state, or throws. Undefined when nobody reads stdout any more. */
export async function watchUntil<T>(
	{ run, socket }: SandboxedRun,
	find: (state: RunState) => T | undefined,
	io: Pick<Io, "stderr" | "signal">,
): Promise<T | undefined> {
	let state = EMPTY_RUN;
	const hear = (message: ToWatcher) => {
		if (message.say !== "snapshot" && message.say !== "event") return undefined;
		state = message.say === "snapshot" ? message.state : reduce(state, message.event);
		return find(state);
	};
	const onSlow = () => io.stderr(`agent: waiting for ${wordsFor(run)}\n`);
	const watching = { say: [{ say: "watch" }], hear, signal: io.signal } as const;
	const outcome = await askSupervisor<T>(supervisorAt(socket), watching, { onSlow });
	switch (outcome.is) {
		case "answer":
			return outcome.answer;
		case "refused":
			throw new AgentreeError("refused", outcome.reason);
		case "no_answer":
			if (outcome.because === "aborted") return undefined;
			throw unreachable(`${wordsFor(run)} ${outcome.why}`);
	}
}
