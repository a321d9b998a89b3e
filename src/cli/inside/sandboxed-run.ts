/** The run around a command in a sandbox, from which its files are hidden: what of it the command knows, and may ask. */

import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isAgentId, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../core/run/run-state.ts";
import { type Io, isHidden } from "../../faces/print/io.ts";
import { runDirectory } from "../../record/run-directory.ts";
import type { WatcherConnection } from "../../wire/watcher-connection.ts";
import { ABSENT_MS, type ConnectRequest, connectToRun } from "../stop/connect-to-run.ts";
import { unreachable } from "../stop/end-unanswered.ts";

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

/** How to reach its supervisor, whose process is not seen. */
export function reach({ run, socket }: SandboxedRun, io: Pick<Io, "stderr">): ConnectRequest {
	const onSlow = () => io.stderr(`agent: waiting for the supervisor of run ${run}\n`);
	return { socket, absentMs: ABSENT_MS, isAlive: () => true, isSuspended: () => false, onSlow };
}

/** Throws AgentreeError("out_of_reach"). */
export async function connectTo(hidden: SandboxedRun, io: Pick<Io, "stderr">): Promise<WatcherConnection> {
	const connection = await connectToRun(reach(hidden, io));
	if ("is" in connection) throw unreachable(`the supervisor of run ${hidden.run} ${connection.why}`);
	return connection;
}

/** Watches the run until `find` finds something in its state, or throws. Undefined when nobody reads stdout any more. */
export async function watchUntil<T>(
	hidden: SandboxedRun,
	find: (state: RunState) => T | undefined,
	io: Pick<Io, "stderr" | "signal">,
): Promise<T | undefined> {
	const connection = await connectTo(hidden, io);
	try {
		return await new Promise<T | undefined>((resolve, reject) => {
			let state = EMPTY_RUN;
			connection.onMessage((message) => {
				if (message.say === "refused") return reject(new AgentreeError("refused", message.reason));
				if (message.say !== "snapshot" && message.say !== "event") return;
				state = message.say === "snapshot" ? message.state : reduce(state, message.event);
				try {
					const found = find(state);
					if (found !== undefined) resolve(found);
				} catch (error) {
					reject(error);
				}
			});
			connection.onClose(() => reject(unreachable(`the supervisor of run ${hidden.run} has closed the connection`)));
			io.signal?.addEventListener("abort", () => resolve(undefined), { once: true });
			connection.send({ say: "watch" });
		});
	} finally {
		connection.close();
	}
}
