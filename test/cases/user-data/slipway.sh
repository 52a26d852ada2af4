/checkout/node_modules/.bin/node /checkout/src/slipway.ts bootstrap >&2
