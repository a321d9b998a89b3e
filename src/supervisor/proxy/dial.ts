/** A connection to one of several addresses, and to nothing else. */
import { connect, isIPv4, type LookupFunction, type Socket } from "node:net";

const CONNECT_MS = 20_000;

/** Rejects with the error of the last address. `signal` calls it off. */
export function dial(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
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
