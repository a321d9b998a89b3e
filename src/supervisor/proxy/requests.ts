/**
 * The requests that come over the connections of agents: each is checked, then passed on as it comes. A connection has one
 * request, so that what goes out for an agent is never more than what comes in; one that sends a second is over.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { connect, isIPv4, type LookupFunction, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { type HostAndPort, hostName, REFUSED_BY } from "../../core/machine/host-pattern.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { type Asker, type RouteDeps, routeTo } from "./route.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 60_000; // from the beginning of the connection to the end of the request's headers
const IDLE_MS = 15 * 60_000;

export interface Caller {
	readonly agent: AgentId;
	/** As `--allow-host` takes them. */
	readonly allowed: readonly string[];
}

export interface RequestsDeps extends Omit<RouteDeps, "lookUp"> {
	readonly lookUp: (name: string, asker: Asker) => Promise<readonly string[]>;
	/** Undefined when it may reach nothing any more. Called for each request. */
	readonly callerOn: (socket: Socket) => Caller | undefined;
	/** `outgoing` is open, for what comes in by `socket`. */
	readonly onOpened: (socket: Socket, outgoing: Socket) => void;
	readonly onRefused: (agent: AgentId, to: HostAndPort, reason: string) => void;
}

type Opened = { readonly is: "open"; readonly socket: Socket } | ({ readonly is: "answer" } & ProxyAnswer);

/** A server that listens nowhere: it gets each connection by its event `connection`. */
export function createRequests(deps: RequestsDeps): Server {
	const begun = new WeakSet<Socket>();
	const isFirst = (socket: Socket) => {
		if (begun.has(socket)) return void socket.destroy();
		return begun.add(socket);
	};
	const server = createServer(
		{ maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false, insecureHTTPParser: false },
		(asked, answer) => {
			if (isFirst(asked.socket)) passOn(asked, answer, deps).catch(() => answer.destroy());
		},
	);
	server.timeout = IDLE_MS;
	Object.assign(server, { httpAllowHalfOpen: true }); // a client may end its side behind its request
	// Node looks for slow headers only on servers that listen.
	server.on("connection", (socket: Socket) => {
		const late = setTimeout(() => begun.has(socket) || socket.destroy(), HEADERS_MS).unref();
		socket.once("close", () => clearTimeout(late));
	});
	server.on("connect", (asked: IncomingMessage, socket: Socket, head: Buffer) => {
		if (isFirst(socket)) tunnel({ asked, socket, head }, deps).catch(() => socket.destroy());
	});
	return server;
}

interface Connect {
	readonly asked: IncomingMessage;
	readonly socket: Socket;
	/** What came behind the request. */
	readonly head: Buffer;
}

async function tunnel({ asked, socket, head }: Connect, deps: RequestsDeps): Promise<void> {
	socket.on("error", () => {}); // its close says it all
	socket.pause();
	if (head.length > 0) socket.unshift(head);
	const target = connectTarget(asked.url ?? "");
	if (target.is === "wrong") return void socket.end(answerText({ status: 400, reason: target.reason }));
	const opened = await open(target.to, socket, deps);
	if (opened.is === "answer") return void socket.end(answerText(opened));
	if (socket.destroyed) return void opened.socket.destroy();
	socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
	pass(socket, opened.socket);
	pass(opened.socket, socket);
}

async function passOn(asked: IncomingMessage, answer: ServerResponse, deps: RequestsDeps): Promise<void> {
	answer.shouldKeepAlive = false;
	const target = plainTarget(asked.url ?? "");
	if (target.is === "wrong") return answerItself(answer, { status: 400, reason: target.reason });
	const { to, authority, path } = target;
	const opened = await open(to, asked.socket, deps);
	if (opened.is === "answer") return answerItself(answer, opened);
	if (answer.destroyed) return void opened.socket.destroy();
	try {
		forward(asked, answer, { socket: opened.socket, authority, path });
	} catch (error) {
		opened.socket.destroy();
		answerItself(answer, { status: 400, reason: (error as Error).message }); // a path or header that Node does not send
	}
}

function forward(
	asked: IncomingMessage,
	answer: ServerResponse,
	{ socket, authority, path }: { socket: Socket; authority: string; path: string },
): void {
	const passed = request({
		...{ method: asked.method, path, setHost: false, createConnection: () => socket },
		headers: requestHeaders(asked, authority),
	});
	const giveUp = (why: string) => {
		socket.destroy();
		if (answer.headersSent) answer.destroy();
		else answerItself(answer, { status: 502, reason: `${authority} ${why}` });
	};
	passed.on("response", (got) => {
		try {
			answer.writeHead(got.statusCode ?? 0, got.statusMessage, responseHeaders(got));
			pipeline(got, answer, () => socket.destroy()); // the answer is read as fast as the client takes it
		} catch (error) {
			giveUp(`sent an answer that cannot be forwarded (${(error as Error).message})`);
		}
	});
	passed.on("upgrade", () => giveUp("took the connection for another protocol"));
	passed.on("error", ({ message }) => giveUp(`broke the connection (${message})`));
	answer.on("close", () => socket.destroy());
	socket.setTimeout(IDLE_MS, () => socket.destroy());
	pipeline(asked, passed, () => {}); // an error is one of the two
}

function answerItself(answer: ServerResponse, what: ProxyAnswer): void {
	const { statusLine, headers, body } = answerParts(what);
	answer.writeHead(what.status, statusLine, headers.flat());
	answer.end(body);
}

/** A connection to the host, where the agent may have one. It is called off with that of the client. */
async function open(to: HostAndPort, client: Socket, deps: RequestsDeps): Promise<Opened> {
	const caller = deps.callerOn(client);
	if (caller === undefined) return { is: "answer", status: 403, reason: "the agent has ended, or has no network" };
	const callOff = new AbortController();
	const onClose = () => callOff.abort();
	client.once("close", onClose);
	if (client.destroyed) onClose();
	const { signal } = callOff;
	try {
		const lookUp = (name: string) => deps.lookUp(name, { agent: caller.agent, signal });
		const route = await routeTo(to, caller.allowed, { ...deps, lookUp });
		if (route.is === "refused") deps.onRefused(caller.agent, to, route.reason);
		if (route.is !== "open") return { is: "answer", status: route.is === "refused" ? 403 : 502, reason: route.reason };
		const socket = await dial(route.addresses, to.port, signal).catch((error: NodeJS.ErrnoException) => error);
		if (socket instanceof Error)
			return {
				is: "answer",
				status: 502,
				reason: `${to.host}:${to.port} cannot be reached (${socket.code ?? socket.message})`,
			};
		deps.onOpened(client, socket);
		return { is: "open", socket };
	} catch (error) {
		return { is: "answer", status: 502, reason: `the proxy failed (${(error as Error).message})` }; // no files are left
	} finally {
		client.removeListener("close", onClose);
	}
}

const CONNECT_MS = 20_000;

/** A connection to one of several addresses, and to nothing else. Rejects with the error of the last one. `signal` calls it off. */
function dial(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
	const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
	// In place of a name there is the list that was checked: Node tries one address after the other.
	const checked: LookupFunction = (_name, { all }, then) =>
		all ? then(null, found) : then(null, found[0]?.address ?? "", found[0]?.family);
	return new Promise((resolve, reject) => {
		const socket = connect({
			host: "checked.invalid",
			port,
			lookup: checked,
			autoSelectFamily: true,
			allowHalfOpen: true,
		});
		const giveUp = () => socket.destroy(new Error("called off"));
		signal.addEventListener("abort", giveUp, { once: true });
		socket.setTimeout(CONNECT_MS, () => socket.destroy(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" })));
		socket.once("connect", () => {
			socket.setTimeout(0).removeAllListeners("timeout"); // an error from now on changes nothing here
			signal.removeEventListener("abort", giveUp);
			resolve(socket);
		});
		socket.once("error", reject);
		socket.once("close", () => signal.removeEventListener("abort", giveUp));
		if (signal.aborted) giveUp();
	});
}

/** What the proxy itself answers, in place of the host. The line of the status says all of it: most clients show nothing else. */
interface ProxyAnswer {
	readonly status: 400 | 403 | 502;
	readonly reason: string;
}

function answerParts({ status, reason }: ProxyAnswer) {
	const line = reason.replace(/[^\x20-\x7e]/g, "?");
	const body = `agentree: ${line}\n`;
	return {
		statusLine: `${status === 403 ? REFUSED_BY : (STATUS_CODES[status] ?? "")}: ${line}`,
		headers: [
			["Content-Type", "text/plain"],
			["Content-Length", String(body.length)],
			["Proxy-Status", "agentree"], // RFC 9209: the answer is the proxy's own
			["Connection", "close"],
		],
		body,
	};
}

/** For a connection that has no answer of its own, as that of CONNECT. */
function answerText(answer: ProxyAnswer): string {
	const { statusLine, headers, body } = answerParts(answer);
	const lines = [`HTTP/1.1 ${answer.status} ${statusLine}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
	return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** What comes from one goes to the other, as fast as that takes it, until both have ended. */
function pass(from: Socket, to: Socket): void {
	from.pipe(to);
	from.setTimeout(IDLE_MS, () => from.destroy());
	from.on("error", () => to.destroy());
	from.on("close", () => {
		if (!from.readableEnded || !to.readableEnded) to.destroy(); // else both ends have been passed on
	});
}

/** Where a request is to go: the target of CONNECT, or of a plain request with a whole `http://` address (RFC 9112, 3.2). */
export type RequestTarget =
	| { readonly is: "target"; readonly to: HostAndPort; readonly path: string; readonly authority: string }
	/** `reason`: for the client. */
	| { readonly is: "wrong"; readonly reason: string };

const AUTHORITY = /^(\[[\da-fA-F:.]+\]|[A-Za-z\d._-]+)(?::(\d{1,5}))?$/;
const ABSOLUTE = /^http:\/\/([^/?#]*)([^#]*)$/i;
const MAX_PORT = 65_535;
const HTTP_PORT = 80;

/** `text`: a host and a port, which must be there. */
export function connectTarget(text: string): RequestTarget {
	const to = hostAndPort(text, undefined);
	if (to === undefined) return { is: "wrong", reason: "CONNECT needs a host and a port, as in example.org:443" };
	return { is: "target", to, path: "", authority: authorityOf(to) };
}

export function plainTarget(text: string): RequestTarget {
	const [, authority, rest = ""] = ABSOLUTE.exec(text) ?? [];
	if (authority === undefined) return { is: "wrong", reason: `${WHOLE}; for https ask with CONNECT` };
	if (authority.includes("@")) return { is: "wrong", reason: "an address with a user name is not forwarded" };
	const to = hostAndPort(authority, HTTP_PORT);
	if (to === undefined) return { is: "wrong", reason: "not a host" };
	const path = rest.startsWith("/") ? rest : `/${rest}`;
	return { is: "target", to, path, authority: authorityOf(to, HTTP_PORT) };
}

const WHOLE = "this is a proxy: it needs a whole address, as in GET http://example.org/";

function hostAndPort(text: string, usual: number | undefined): HostAndPort | undefined {
	const [, spelt = "", digits] = AUTHORITY.exec(text) ?? [];
	const host = hostName(spelt);
	const port = digits === undefined ? usual : Number(digits);
	return host === undefined || port === undefined || port < 1 || port > MAX_PORT ? undefined : { host, port };
}

function authorityOf({ host, port }: HostAndPort, usual?: number): string {
	return port === usual ? host : `${host}:${port}`;
}

/** Headers of one connection alone (RFC 9110, 7.6.1), which do not go on. `proxy-status` only this proxy says. `expect` has been answered. An upgrade is asked for with CONNECT. */
const OF_ONE_CONNECTION = new Set([
	...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "proxy-status"],
	...["te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "expect"],
]);

interface MessageHeaders {
	/** Names and values in turn, as Node has them. */
	readonly rawHeaders: readonly string[];
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The host is that of the target, whatever the client has said; a body of unknown length is sent in chunks. */
export function requestHeaders(message: MessageHeaders, authority: string): string[] {
	const isChunked = message.headers["transfer-encoding"] !== undefined;
	return [
		...["Host", authority],
		...withoutNames(message, ["host", ...(isChunked ? ["content-length"] : [])]),
		...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
		...["Connection", "close"],
	];
}

export function responseHeaders(message: MessageHeaders): string[] {
	return withoutNames(message, []);
}

function withoutNames({ rawHeaders, headers }: MessageHeaders, more: readonly string[]): string[] {
	const named = String(headers.connection ?? "")
		.toLowerCase()
		.split(",")
		.map((name) => name.trim());
	const left = new Set([...OF_ONE_CONNECTION, ...named.filter((name) => name !== "content-length"), ...more]);
	const kept: string[] = [];
	for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
		const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]];
		if (!left.has(name.toLowerCase())) kept.push(name, value);
	}
	return kept;
}
