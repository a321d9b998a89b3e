/** The variables by which programs find a proxy. In a network of its own nothing else listens, so the port is the usual one. */
export const PROXY_ADDRESS = { host: "127.0.0.1", port: 3128 };

const PROXY = `http://${PROXY_ADDRESS.host}:${PROXY_ADDRESS.port}`;
/** What commands listen on themselves. */
const WITHOUT = "localhost,127.0.0.1,::1";

/** curl reads `http_proxy` in lower case alone; others read upper case alone; Node from 22.21 on reads them when it is told to. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
	...{
		http_proxy: PROXY,
		HTTP_PROXY: PROXY,
		https_proxy: PROXY,
		HTTPS_PROXY: PROXY,
		all_proxy: PROXY,
		ALL_PROXY: PROXY,
	},
	...{ no_proxy: WITHOUT, NO_PROXY: WITHOUT, NODE_USE_ENV_PROXY: "1" },
};
