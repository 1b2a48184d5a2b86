/** Subject of the CSRF tokens on `/account`. Tokens of other pages are invalid for its forms. */
export const ACCOUNT_FORMS = 'account'
