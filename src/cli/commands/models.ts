/** `agent models` asks each service that there is a key for what it has. */

import { resolve } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { alignColumns, type Column } from "../../faces/print/rows.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import type { ListedModel, ServiceList } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { forgetCredentials, howToDescribe, keyVariableOf, keyVariables, listServices } from "../../models/providers.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { formatTokens } from "../../text/numbers.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { type PrintingCommand, paintOf, printJson } from "../io/process-io.ts";
import { readConfiguration } from "../io/user-files.ts";
import { readCredentials } from "../start/credentials.ts";

interface Row {
	readonly name: string;
	readonly contextTokens: number | undefined;
	/** Dollars per million tokens. */
	readonly input: number | undefined;
	readonly output: number | undefined;
}

/** The exit code is that of a service that could not be asked, when none could. */
export const models: PrintingCommand = async ([service], values, io) => {
	const { lists, prices, hosts } = await askServices(io, values);
	const asked = lists.filter((list) => service === undefined || list.service === service);
	if (asked.length === 0) throw nobodyToAsk(service, lists, hosts);
	const rows = asked
		.flatMap(({ answer }) => (answer.is === "models" ? answer.models : []))
		.map((model) => rowOf(model, prices));
	if (values.json) printJson(io, { models: rows.map(jsonOf), services: asked.map(serviceJson) });
	else print(rows, io);
	const failures = asked.flatMap(({ service: name, answer }) => (answer.is === "failure" ? [{ name, ...answer }] : []));
	const lines = failures.map(({ name, reason }) => `${name}: ${oneLine(reason)}`);
	if (!values.json) warn(io, lines);
	return failures.length === asked.length ? (failures[0]?.exitCode ?? 0) : 0;
};

const WITHIN_MS = 15_000;

/**
 * What each service says of its models. Keys are read as for a run. `prices`: the user's own. Throws AgentreeError for a configuration
 * or a file of keys that cannot be read.
 */
export async function askServices(
	{ env, cwd, now }: Pick<Io, "env" | "cwd" | "now">,
	values: OptionValues,
): Promise<{ lists: ServiceList[]; prices: readonly PricedModel[]; hosts: readonly UserHost[] }> {
	const path = (flag: string) => (typeof values[flag] === "string" ? resolve(cwd, values[flag]) : undefined);
	const files = { envFile: path("env-file"), credentialsFile: path("credentials-file") };
	const { hosts, prices } = await readConfiguration(env, () => cwd);
	const credentials = readCredentials(env, files, hosts);
	const environment = { ...env };
	forgetCredentials(environment, hosts);
	const lists = await listServices({ credentials, hosts, environment, now, withinMs: WITHIN_MS });
	return { lists, prices, hosts };
}

function nobodyToAsk(
	service: string | undefined,
	lists: readonly ServiceList[],
	hosts: readonly UserHost[],
): AgentreeError {
	const own = service === undefined ? undefined : keyVariableOf(service, hosts);
	if (own !== undefined)
		return new AgentreeError(
			"key_missing",
			`no key for the service ${service}: export ${own}=…, or pass a file with --env-file`,
		);
	if (service !== undefined) {
		const names = lists.map((list) => list.service).join(", ");
		const others = names === "" ? "" : `; available: ${names}`;
		return new AgentreeError("usage", `unknown service ${service}${others}; ${howToDescribe(service)}`);
	}
	const [variable] = keyVariables();
	return new AgentreeError(
		"key_missing",
		`no service configured: export ${variable}=… or another key, or add a service under "providers" in the configuration file`,
	);
}

/** The user's own price goes before the built-in one, and that before what the service says. */
function rowOf({ name, contextTokens, price: told }: ListedModel, prices: readonly PricedModel[]): Row {
	const facts = factsOf(name, prices);
	const known = facts.price.is === "per_million" ? facts.price.tiers[0] : undefined;
	const { input, output } = known ?? told ?? {};
	return { name, contextTokens: facts.contextTokens ?? contextTokens, input, output };
}

const COLUMNS: readonly Column<Row>[] = [
	{
		head: "CONTEXT",
		toRight: true,
		cell: ({ contextTokens: size }) => ({ text: size === undefined ? "?" : formatTokens(size) }),
	},
	{ head: "$/M IN", toRight: true, cell: ({ input }) => ({ text: dollars(input) }) },
	{ head: "$/M OUT", toRight: true, cell: ({ output }) => ({ text: dollars(output) }) },
	{ head: "MODEL", cell: ({ name }) => ({ text: oneLine(name) }) },
];

function print(rows: readonly Row[], io: Io): void {
	if (rows.length === 0) return;
	const { header, lines } = alignColumns(COLUMNS, rows, { paint: paintOf(io), columns: io.columns });
	for (const line of [header, ...lines]) io.stdout(`${line}\n`);
}

function dollars(price: number | undefined): string {
	return price === undefined ? "?" : String(Number(price.toFixed(4)));
}

function jsonOf({ name, contextTokens, input, output }: Row): object {
	return {
		...{ name, context_tokens: contextTokens ?? null },
		...{ input_usd_per_million: input ?? null, output_usd_per_million: output ?? null },
	};
}

function serviceJson({ service, address, answer }: ServiceList): object {
	if (answer.is === "failure") return { service, address, ok: false, reason: oneLine(answer.reason) };
	return { service, address, ok: true, models: answer.models.length };
}
