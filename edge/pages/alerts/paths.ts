export const PATH = '/alerts'
export const ADD_CHANNEL_PATH = `${PATH}/channels/add`
export const CHANGE_CHANNEL_PATH = `${PATH}/channels/change`
export const THRESHOLDS_PATH = `${PATH}/thresholds`
/** Subject of the CSRF tokens of all forms on the page. */
export const SUBJECT = 'alerts'
