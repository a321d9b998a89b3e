/**
 * The namespaces in which an agent's commands are started. They live as long as this process. A network of their own has a loopback that the
 * commands share, so what one of them serves another one reaches, and, where hosts may be reached, a proxy. Those of agent 1 are started
 * where its supervisor has mounted the layers of the run.
 */
import type { ChildProcess } from "node:child_process";
import { openSync, statSync } from "node:fs";
import { Server } from "node:net";
import { defined } from "../../core/defined.ts";
import { childProcess } from "../../processes/child-process.ts";
import { AFRESH_ENVIRONMENT, findNsenter, LAYER_ENVIRONMENT, NO_NSENTER, SEEN_AFRESH } from "../../sandbox/layers.ts";
import { type BridgeOptions, bridge } from "./bridge.ts";

/** Where the proxy listens in a network of its own: nothing else does, so the port is the usual one. */
const PROXY_ADDRESS = { host: "127.0.0.1", port: 3128 };
const PROXY = `http://${PROXY_ADDRESS.host}:${PROXY_ADDRESS.port}`;
const NO_PROXY = "localhost,127.0.0.1,::1"; // what commands listen on themselves

/** curl reads `http_proxy` in lower case alone; others read upper case alone; Node from 22.21 on reads them with NODE_USE_ENV_PROXY. */
const PROXY_VARIABLES: Readonly<Record<string, string>> = {
	...{ http_proxy: PROXY, https_proxy: PROXY, all_proxy: PROXY },
	...{ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY },
	...{ no_proxy: NO_PROXY, NO_PROXY, NODE_USE_ENV_PROXY: "1" },
};

const WITHIN_MS = 20_000;
const MAX_REFUSED = 16;
const MAX_SAID = 4096;

/** A namespace in which commands are started. */
export interface Within {
	/** What stands in front of a command's program and arguments. */
	readonly enter: readonly string[];
	/** Called for each command that is started there. */
	readonly keepFresh?: (exit: Promise<unknown>) => void;
}

interface OwnNetwork extends Within {
	readonly is: "open";
	readonly variables: Readonly<Record<string, string>>;
	/** Those since it was last asked. */
	takeRefusedHosts(): readonly string[];
}

/** `reason`: for the model. A command that should be in a network of its own must not be started then. */
export type OpenedNetwork = OwnNetwork | { readonly is: "failed"; readonly reason: string };

interface NetworkOptions {
	/** bwrap. */
	readonly program: string;
	/** In which the network is made. */
	readonly within?: Within | undefined;
	/** Without it no host is reached. */
	readonly proxy?: Pick<BridgeOptions, "proxySocket" | "token"> | undefined;
}

/** Never rejects. */
export async function openNetwork({ program, proxy, within }: NetworkOptions): Promise<OpenedNetwork> {
	const nsenter = findNsenter();
	if (nsenter === undefined) return failed(NO_NSENTER);
	const [first = program, ...others] = [...(within?.enter ?? []), program];
	const inside = childProcess().spawn(first, [...others, ...ARGS, "--", process.execPath, "-e", LISTEN], {
		stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
		env: LAYER_ENVIRONMENT,
	});
	try {
		const { server, pid } = await started(inside);
		const [own, other] = ["self", pid].map((each) => statSync(`/proc/${each}/ns/net`).ino);
		if (own === other) throw new Error("the new namespace is the agent's own");
		const refused = new Set<string>();
		const onRefused = (host: string) => void (refused.size < MAX_REFUSED && refused.add(host));
		if (proxy === undefined) server.close();
		else bridge(server, { ...proxy, onRefused });
		return {
			is: "open",
			enter: entering(nsenter, pid, within === undefined ? ["user", "net"] : ["user", "net", "mnt"]),
			...defined({ keepFresh: within?.keepFresh }),
			variables: proxy === undefined ? {} : PROXY_VARIABLES,
			takeRefusedHosts: () => {
				const hosts = [...refused];
				refused.clear();
				return hosts;
			},
		};
	} catch (error) {
		return failed((error as Error).message);
	} finally {
		inside.kill("SIGKILL");
	}
}

function failed(reason: string): OpenedNetwork {
	return { is: "failed", reason: `could not create a separate network for the command: ${reason}` };
}

/**
 * Makes the socket on which an agent's commands find their proxy. A socket belongs to the network in which it is made, whoever accepts on it
 * later: so this process runs in that network, gives the socket to the agent, and is over.
 */
const LISTEN = `const server = require("node:net").createServer(); server.listen(${JSON.stringify(PROXY_ADDRESS)}, () => process.send({}, server))`;

/** bwrap brings the loopback up. `/dev` with its files, all else as the agent has it: the program is ours. */
const ARGS = ["--unshare-user", "--unshare-net", "--die-with-parent", "--info-fd", "4", "--dev-bind", "/", "/"];

const ENTER = { user: "--user", net: "--net", mnt: "--mount" } as const;

/** What starts a program in namespaces of a process, which stay: they are open here alone, and nothing that runs inside has them. */
function entering(nsenter: string, pid: number, kinds: readonly (keyof typeof ENTER)[]): string[] {
	const pathOf = (kind: string) => `/proc/${process.pid}/fd/${openSync(`/proc/${pid}/ns/${kind}`, "r")}`;
	return [nsenter, ...kinds.map((kind) => `${ENTER[kind]}=${pathOf(kind)}`), "--preserve-credentials", "--"];
}

/** The socket that listens inside, and a process that is inside, by the agent's numbers. */
function started(inside: ChildProcess): Promise<{ server: Server; pid: number }> {
	return new Promise((resolve, reject) => {
		if (inside.pid === undefined) return void inside.once("error", reject); // it has no pipes
		let [info, said] = ["", ""];
		let listening: Server | undefined;
		const fail = (why: string) => reject(new Error(said.trim().split("\n")[0] || why));
		const late = setTimeout(() => fail(`nothing listened within ${WITHIN_MS / 1_000} s`), WITHIN_MS);
		const look = () => {
			const [, pid] = /"child-pid":\s*(\d+)\D/.exec(info) ?? [];
			if (pid === undefined || listening === undefined) return;
			clearTimeout(late);
			resolve({ server: listening, pid: Number(pid) });
		};
		inside.stderr?.on("data", (chunk: Buffer) => {
			if (said.length < MAX_SAID) said += chunk.toString();
		});
		inside.stdio[4]?.on("data", (chunk: Buffer) => {
			info += chunk.toString();
			look();
		});
		inside.on("message", (_message, handle) => {
			listening = handle instanceof Server ? handle : undefined;
			look();
		});
		inside.once("error", (error) => fail(error.message));
		inside.once("close", (code) => {
			clearTimeout(late);
			fail(`bwrap ended with status ${code}`);
		});
	});
}

/**
 * The namespaces of that process, which mounts the layers of the run. Where they cannot be entered, the sandbox of a command cannot be made
 * where it needs them.
 */
export function openLayers(pid: number): Within {
	try {
		const enter = entering(findNsenter() ?? "nsenter", pid, ["user", "mnt"]);
		return { enter, keepFresh: keepFresh(enter) };
	} catch {
		return { enter: [] };
	}
}

const AFTER_MS = 1_000; // several commands that follow one another cost one look
const WHILE_MS = 10_000;

/**
 * What commands see through overlays may change meanwhile, by their person's hand: it is looked at again after each command, while the
 * model thinks, and now and then while one runs. Gives what is called for each command.
 */
function keepFresh([program = "", ...args]: readonly string[]): (exit: Promise<unknown>) => void {
	let isDue = false;
	const look = () => {
		isDue = false;
		const options = { env: AFRESH_ENVIRONMENT, stdio: "ignore" } as const;
		childProcess()
			.spawn(program, [...args, ...SEEN_AFRESH], options)
			.on("error", () => {}); // the next one may do it
	};
	return (exit) => {
		const now = setInterval(look, WHILE_MS).unref();
		void exit.then(() => {
			clearInterval(now);
			if (!isDue) setTimeout(look, AFTER_MS).unref();
			isDue = true;
		});
	};
}
