/** What the form token of the page `/account` is for: a token of another page is none for its forms. */
export const ACCOUNT_FORMS = 'account'
