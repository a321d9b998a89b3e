/** Connections that were closed because of what came over them: each is told in the event log, and its agent is over. */
import { type Ending, ROOT } from "../../core/model/agent.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { AgentConnection } from "../clients/client-listener.ts";
import { RefusalLog } from "../clients/refusal-log.ts";
import type { Input } from "../decide/input.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { AgentRegistry } from "./agent-registry.ts";

interface RefusalsDeps {
	readonly registry: Pick<AgentRegistry, "agentOn">;
	readonly now: () => number;
	readonly emit: (event: RunEvent) => void;
	readonly dispatch: (input: Input) => void;
	readonly stopRun: (ending: Ending, isHurry: boolean) => void;
	readonly stops: () => SupervisorState["stops"];
}

export class Refusals {
	private readonly deps: RefusalsDeps;
	private readonly log = new RefusalLog();

	constructor(deps: RefusalsDeps) {
		this.deps = deps;
	}

	/** `connection`: of a client that has joined. The process of its agent is ended, too. */
	refused(reason: string, connection: AgentConnection | undefined): void {
		const { registry, now, emit, dispatch, stopRun, stops } = this.deps;
		const agent = connection === undefined ? undefined : registry.agentOn(connection);
		const event = this.log.refused(reason, agent, now());
		if (event !== undefined) emit(event);
		if (agent === undefined) return;
		const ending: Ending = { by: "crashed", reason: `the supervisor closed its connection: ${reason}` };
		if (agent === ROOT) stopRun(ending, false);
		else dispatch({ is: "gone", agent, ending, cameFirst: !stops().has(agent) });
	}
}
