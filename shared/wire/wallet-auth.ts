/** Authenticates an admin wallet in place of a key: base64 of `{typed_data, signature}`, purpose BillingAuth. */
export const WALLET_AUTH_HEADER = 'x-wallet-auth'
