/** Subject of the CSRF tokens on `/account`. Tokens issued for other pages are invalid for the forms on this page. */
export const ACCOUNT_FORMS = 'account'
