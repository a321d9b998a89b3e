import type { Sender } from "../../core/model/told-message.ts";
/** What a supervisor is told of its clients, once they are let in, and what it is asked about them. */
import type { FromAgent, Join } from "../../wire/agent-messages.ts";
import type { Hello } from "../../wire/from-client.ts";
import type { FromWatcher, Proof, Watcher } from "../../wire/watcher-messages.ts";
import type { ClientOrigin } from "../processes/whose-is.ts";
import type { AgentConnection } from "../run/agent-registry.ts";

/** What a client asks for that is let in. `by`: the agent in whose command it is; null for a person. */
export type WatcherRequest = Exclude<FromWatcher, Proof> & { readonly by: Sender };
export type RequestOf<S extends FromWatcher["say"]> = Extract<WatcherRequest, { say: S }>;

export interface ClientListener {
	onJoin(connection: AgentConnection, join: Join): void;
	onMessage(connection: AgentConnection, message: Exclude<FromAgent, Join>): void;
	onClose(connection: AgentConnection): void;
	onWatcherMessage(watcher: Watcher, message: WatcherRequest): void;
	onWatcherClose(watcher: Watcher): void;
	/** It waits for a person's answer, or for what one has allowed. */
	isAsking(watcher: Watcher): boolean;
	/** The connection is being closed because of what came over it. `agent`: present once it has joined. */
	onRefused(reason: string, agent: AgentConnection | undefined): void;
	originOf(hello: Hello): ClientOrigin;
}
