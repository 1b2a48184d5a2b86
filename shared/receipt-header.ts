/** Carries the receipt of a failed action, since the body of the response is human-readable text. */
export const RECEIPT_HEADER = 'x-svc-receipt'
