/** Receipt of a failed action; the body of such a response is human-readable text. */
export const RECEIPT_HEADER = 'x-svc-receipt'
