/** One request of a command of an agent, over a connection of its own. It loads no schemas: it is for bundles that a command waits for. */
import { AgentreeError } from "../../core/errors.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { ownIdentity } from "../../processes/table/pid-namespace.ts";
import { connectAsPerson, type Heard } from "../../wire/person-connection.ts";
import { answerOf, askSupervisor, type Supervisor } from "../../wire/run-client.ts";
import type { FromWatcher, ToWatcher } from "../../wire/watcher-messages.ts";
import { connectPatiently } from "../supervisor-client.ts";

interface SupervisorRequest<A> {
	readonly request: FromWatcher;
	/** Undefined for a message after which another one comes. `say`: says more to the supervisor. */
	readonly answerIn: (message: ToWatcher, say: (more: FromWatcher) => void) => A | undefined;
	/** Absent: an answer may take as long as it takes. */
	readonly withinMs?: number;
	/** Goes behind the words for a supervisor that gives no answer. */
	readonly meaning?: string;
}

/** Rejects with AgentreeError: `refused` with the reason, `out_of_reach` when there is no answer. */
export async function askOwnSupervisor<A>(
	socket: string,
	{ request, answerIn: hear, withinMs, meaning = "" }: SupervisorRequest<A>,
): Promise<A> {
	const self = ownIdentity(process.pid);
	const supervisor: Supervisor = {
		connect: (onWelcome = () => {}) => connectPatiently(() => connectAsPerson(socket, { self, onWelcome, parse })),
		look: () => "elsewhere",
		after: SYSTEM_CLOCK.after,
	};
	const patience = withinMs === undefined ? {} : { patienceMs: () => withinMs };
	const outcome = await askSupervisor<A>(supervisor, { say: [request], hear, ...patience }, { patienceMs: 0 });
	const unanswered = (why: string) => new AgentreeError("out_of_reach", `the supervisor of this run ${why}${meaning}`);
	return answerOf(outcome, ({ why }) => unanswered(why));
}

/** Both are of one build: that it is a message is all that is checked. */
function parse(value: object): Heard | undefined {
	return "say" in value ? (value as Heard) : undefined;
}
