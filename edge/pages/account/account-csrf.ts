/** CSRF subject. Tokens for other pages are invalid for the forms on `/account`. */
export const ACCOUNT_CSRF_SUBJECT = 'account'
