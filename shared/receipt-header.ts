/** Response header with the receipt of a failed action. The body of such a response is human-readable text. */
export const RECEIPT_HEADER = 'x-svc-receipt'
