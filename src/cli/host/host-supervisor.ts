/** A supervisor in this process: its signals, its models, its end. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "../../core/defined.ts";
import { AgentreeError, EXIT } from "../../core/errors.ts";
import { forgetCredentials, openModel } from "../../models/providers.ts";
import { secretsIn } from "../../models/secrets-in.ts";
import { readFileLimit } from "../../processes/proc-facts.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { takeRunLock } from "../../record/run-lock.ts";
import { fewFilesNotice } from "../../supervisor/processes/machine-resources.ts";
import { SHIMS, whyShimsCannotRun } from "../../supervisor/processes/shims.ts";
import { lockOwner } from "../../supervisor/run/begin-run.ts";
import type { SupervisorHost } from "../../supervisor/run/run-core.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import { Supervisor } from "../../supervisor/supervisor.ts";
import { BUGS_FILE, type Bug } from "../../terminal/bugs.ts";
import { complain } from "../../terminal/print.ts";
import { keepSecrets } from "../../text/safe/keep-secrets.ts";
import type { ResumeRequest, RunSettings, SuperviseOrder } from "../../wire/supervise-order.ts";
import { bugs } from "../io/process-io.ts";
import { endLeftovers, sweepLeftovers } from "../stop/leftovers.ts";

const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
const WORDS = {
	SIGINT: "Ctrl-C",
	SIGTERM: "the supervisor received SIGTERM",
	SIGHUP: "the terminal was closed (SIGHUP)",
} as const;

/** Node waits for its own children only. Processes that these leave become children of PID 1, and stay zombies when they end. */
const AS_PID_1 =
	"agent: running as PID 1 without reaping orphans, so zombies remain until the run ends; start the container with an init (docker run --init, or tini)";

/**
 * resolv.conf(5): how long the system's resolver waits for a name server, else 5 s and twice. A lookup cannot be called off, and
 * the process's exit waits for it, even after Ctrl-C. A call whose name did not resolve in time is made again.
 */
const QUICK_LOOKUPS = "timeout:1 attempts:1";

const PRINT_WITHIN_MS = 2_000;

interface HostedRun {
	supervisor: Supervisor;
	ended: Promise<RunEnd>;
}

export async function hostSupervisor(
	{ settings, credentials, resume }: SuperviseOrder,
	given: Pick<SupervisorHost, "onEvent" | "onRecord" | "onDelta" | "heldRoot">,
): Promise<HostedRun> {
	const { hosts } = settings;
	keepSecrets(secretsIn(credentials, hosts));
	forgetCredentials(process.env, hosts);
	process.env.RES_OPTIONS ||= QUICK_LOOKUPS;
	if (process.pid === 1) complain(AS_PID_1);
	const notice = fewFilesNotice(settings, readFileLimit("self")?.soft ?? Number.POSITIVE_INFINITY);
	if (notice !== undefined) complain(`agent: ${notice}`);
	process.title = `agent supervisor ${settings.run}`;
	const table = openProcessTable(process.env);
	const host: SupervisorHost = {
		table,
		...SYSTEM_CLOCK,
		random: Math.random,
		loadModel: (name) =>
			openModel(name, {
				credentials,
				hosts,
				environment: settings.env,
				nameFrom: nameFrom(name, settings),
				...settings.retryPolicy,
				now: SYSTEM_CLOCK.now,
			}),
		onCallError: (error) => bugs.note(error),
		...given,
	};
	const supervisor =
		resume === undefined ? new Supervisor(settings, host) : await resumedSupervisor(settings, resume, host);
	for (const name of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[])
		process.on(name, () => supervisor.stop({ by: "stopped", reason: WORDS[name], signal: SIGNALS[name] }));
	const obstacle = whyShimsCannotRun(join(supervisor.directory, SHIMS));
	if (obstacle !== undefined) complain(`agent: ${obstacle}`);
	bugs.file = join(supervisor.directory, BUGS_FILE);
	bugs.onBug = (bug) => abandonRun(supervisor, bug);
	await supervisor.start();
	const swept = sweepLeftovers(table, settings).catch(() => {}); // leftovers of other runs must not fail this one
	return { supervisor, ended: supervisor.ended.finally(() => swept) };
}

/** Abandons the run after a bug. The command that waits for the run's end gets 2 s to print its result and end the process. */
async function abandonRun(supervisor: Supervisor, { reason, line, exitCode }: Bug): Promise<void> {
	const isBug = exitCode === EXIT.bug;
	await supervisor.abandon(isBug ? { by: "crashed", reason } : { by: "failure", reason, exitCode });
	complain(`agent: ${line}`);
	await sleep(PRINT_WITHIN_MS);
}

/** The supervisor of a resumed run. It takes the run's lock first: else two that resume the run would end each other's processes. */
async function resumedSupervisor(
	settings: RunSettings,
	{ held, message }: ResumeRequest,
	host: SupervisorHost,
): Promise<Supervisor> {
	const { home, run } = settings;
	const { table } = host;
	const directory = runDirectory(home, run);
	// Where it goes no further the lock stays, with a process in it that has ended then: by it others find what the run has left.
	const lock = takeRunLock(directory, lockOwner(table), held);
	const { survivors } = await endLeftovers({ run, directory }, { table, isHurry: true });
	if (survivors.length > 0)
		throw new AgentreeError(
			"not_started",
			`run ${run} cannot be resumed while its processes are alive, and these could not be ended: ${survivors.join(", ")}`,
		);
	return new Supervisor(settings, host, { lock, ...defined({ message }) });
}

/** Another model than that of its run comes from `--model` of a child agent, or takes over from one. */
function nameFrom(name: string, { model, modelFrom, fallbackModels = [] }: RunSettings): string | undefined {
	if (name === model) return modelFrom;
	return fallbackModels.includes(name) ? "--fallback-model" : "--model";
}
