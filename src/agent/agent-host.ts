import type { ProcessTable } from "../processes/table/process-table.ts";
import type { Bugs } from "../terminal/bugs.ts";
import type { Joined } from "../wire/joined-message.ts";
import type { LoadOutsideSandbox } from "./bash/confined.ts";
import type { SupervisorClient } from "./supervisor-client.ts";

/** What an agent needs from the process that it runs in. */
export interface AgentHost {
	socket: string;
	env: Readonly<Record<string, string | undefined>>;
	table: ProcessTable;
	setTitle: (title: string) => void;
	/** The agent sets where its stacks are written and what is done before a bug ends it. */
	bugs: Pick<Bugs, "onBug" | "file" | "note">;
	/** Resolves when a move between cgroups is over that was begun before the join; at once when there was none. */
	earlyMove: Promise<void>;
	/** Loads what an agent needs once it has joined: a file of its own, read while the supervisor decides on the join. */
	loadJoinedAgent: () => Promise<JoinedAgentModule>;
	/** Loads what only an agent needs whose commands have a network of their own, and agent 1 in a sandbox. */
	loadNamespaces: () => Promise<Pick<typeof import("./network/namespaces.ts"), "openNetwork" | "openLayers">>;
	/** Loads what only a resumed agent needs: a new agent must not pay for it at its start. */
	loadRestore: () => Promise<Pick<typeof import("./context/restore.ts"), "restore">>;
	loadOutsideSandbox: LoadOutsideSandbox;
}

/** What `joined-agent.ts` exports. */
export interface JoinedAgentModule {
	runJoinedAgent: (joined: Joined, client: SupervisorClient, host: AgentHost) => Promise<number>;
}
