/**
 * Authenticates an admin wallet instead of an API key. The value is base64 of `{typed_data, signature}`, with typed
 * data of the purpose BillingAuth.
 */
export const WALLET_AUTH_HEADER = 'x-wallet-auth'
