/** The thread that checks one answer. */
import { parentPort, workerData } from "node:worker_threads";
import { answerChecker } from "./answer-schema.ts";

const { schema, answer } = workerData as { schema: string; answer: string };
parentPort?.postMessage(answerChecker(schema, "--json-schema")(answer));
