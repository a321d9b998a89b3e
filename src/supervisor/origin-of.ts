/** What a client is by its process, as the process table shows it now. */
import { cgroupPlaceOf } from "../processes/cgroup.ts";
import { ifSeen } from "../processes/failed-look.ts";
import { ownPidNamespace } from "../processes/pid-namespace.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { hasOtherMark } from "../processes/run-mark.ts";
import type { Hello } from "../protocol/hello.ts";
import type { ClientOrigin } from "./clients/client-listener.ts";
import { clientOrigin } from "./processes/client-origin.ts";
import type { Machine } from "./processes/machine.ts";
import { UNSEEN } from "./processes/whose-is.ts";

interface OriginDeps {
	readonly run: string;
	readonly table: Pick<ProcessTable, "look">;
	readonly machine: Pick<Machine, "whoseIs">;
}

export function originOf({ pid, pidNamespace = ownPidNamespace() }: Hello, deps: OriginDeps): ClientOrigin {
	const { run, table, machine } = deps;
	const known = {
		run,
		supervisorPid: process.pid,
		whoseIs: machine.whoseIs.bind(machine),
		cgroupOf: cgroupPlaceOf,
		hasOtherMark: (other: number) => hasOtherMark(other, run),
	};
	const seen = ifSeen(() => clientOrigin({ pid, pidNamespace }, { look: table.look(), ...known }));
	return seen?.seen ?? { is: "stranger", reason: UNSEEN.reason };
}
