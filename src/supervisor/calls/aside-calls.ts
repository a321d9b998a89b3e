/** Calls that are no turn of their agent: beside its own ones, and without a record. */

import type { AgentId } from "../../core/model/agent.ts";
import type { ModelDelta, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import type { AgentFile } from "../../core/model/transcript.ts";
import { addDollars, addUsage, NO_USAGE, type Usage } from "../../core/model/usage.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { Gateway } from "./gateway.ts";
import type { Charge } from "./retrying-call.ts";

interface AsideCallsDeps {
	registry: { get(agent: AgentId): { readonly file: AgentFile } | undefined };
	gateway: Pick<Gateway, "call">;
	run: () => RunState;
}

export interface Aside {
	/** Undefined for a call that was cancelled. */
	readonly outcome: ModelOutcome | undefined;
	readonly usage: Usage;
	readonly costUsd: number | null;
}

export class AsideCalls {
	private readonly deps: AsideCallsDeps;

	constructor(deps: AsideCallsDeps) {
		this.deps = deps;
	}

	/** With the agent's model and effort. `onText`: what a retry repeats comes again. */
	make(agent: AgentId, request: ModelRequest, onText: (text: string) => void): Promise<Aside> {
		const { registry, gateway, run } = this.deps;
		const file = registry.get(agent)?.file;
		if (file === undefined) return Promise.resolve({ outcome: undefined, usage: NO_USAGE, costUsd: 0 });
		const { task, effort, joinedAt } = file;
		const model = run().agents[agent]?.model ?? file.model; // another may have taken over
		const asked = effort === undefined ? request : { ...request, effort };
		const onDelta = ({ kind, text }: ModelDelta) => (kind === "text" ? onText(text) : undefined);
		const call = { key: `${agent} aside`, agent, joinedAt, model, task, turn: 0, kind: "compaction", onDelta } as const;
		let spent = { usage: NO_USAGE, costUsd: 0 as number | null };
		const charge = ({ usage, costUsd }: Charge) => {
			spent = { usage: addUsage(spent.usage, usage), costUsd: addDollars(spent.costUsd, costUsd) };
			return spent;
		};
		return new Promise((resolve) => {
			gateway.call(
				{ ...call, request: asked, lastCommand: undefined },
				{
					held: () => {},
					retrying: (_, one) => void charge(one),
					answered: (outcome, one) => resolve({ outcome, ...charge(one) }),
					cancelled: (one) => resolve({ outcome: undefined, ...charge(one) }),
				},
			);
		});
	}
}
