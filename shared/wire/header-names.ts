/** Header with the receipt of a failed action. The body of such a response is human-readable text. */
export const RECEIPT_HEADER = 'x-svc-receipt'

/**
 * Header that authenticates an admin wallet instead of an API key. The value is base64 of `{typed_data, signature}`,
 * with typed data of the purpose BillingAuth or SendTransactions.
 */
export const WALLET_AUTH_HEADER = 'x-wallet-auth'
