/**
 * The program that makes the socket on which an agent's commands find their proxy. A socket belongs to the network in which it is made,
 * whoever accepts on it later: so this process runs in that network, gives the socket to the agent, and is over.
 */
import { createServer } from "node:net";
import { PROXY_ADDRESS } from "./proxy-variables.ts";

const server = createServer();
server.listen(PROXY_ADDRESS, () => process.send?.({ is: "listening" }, server));
