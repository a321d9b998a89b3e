/** What the proxy itself answers, in place of the host. The line of the status says all of it: most clients show nothing else. */
import { STATUS_CODES } from "node:http";

export interface ProxyAnswer {
	readonly status: 400 | 403 | 502;
	readonly reason: string;
}

export interface AnswerParts {
	readonly statusLine: string;
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly body: string;
}

export function answerParts({ status, reason }: ProxyAnswer): AnswerParts {
	const line = reason.replace(/[^\x20-\x7e]/g, "?");
	const body = `agentree: ${line}\n`;
	return {
		statusLine: `${status === 403 ? "Refused by agentree" : (STATUS_CODES[status] ?? "")}: ${line}`,
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
export function answerText(answer: ProxyAnswer): string {
	const { statusLine, headers, body } = answerParts(answer);
	const lines = [`HTTP/1.1 ${answer.status} ${statusLine}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
	return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
