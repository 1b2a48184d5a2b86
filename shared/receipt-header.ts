/** Carries the receipt of an action that failed, whose body is for people. */
export const RECEIPT_HEADER = 'x-svc-receipt'
