/** Limits of a policy document. They bound the work of a check, and the size of a stored document. */
export const POLICY_MAX_BYTES = 64 * 1024
/** Maximum nesting of the JSON. A valid document has about 70 levels at most: each nested condition adds two. */
export const POLICY_DEPTH_MAX = 160
export const RULES_MAX = 64
/** Functions, types, messages or domains of one rule. */
export const ENTRIES_MAX = 64
/** Conditions of one function or type, with all nested conditions. */
export const CONDITIONS_MAX = 32
export const LISTS_MAX = 16
/** Addresses in one list, and values of one condition. */
export const VALUES_MAX = 500
export const SUMS_MAX = 32
/**
 * Sums that one signature can add to. A `per_recipient` sum counts once for each recipient. All of them are locked and
 * written in one transaction.
 */
export const CHARGES_MAX = 1_024
export const TOKENS_MAX = 64
/** The longest published type, Seaport's `BulkOrder`, has about 1,200 characters. */
export const SIGNATURE_MAX_CHARACTERS = 4_096
export const TEXT_MAX_CHARACTERS = 1_024
export const WINDOW_MIN_S = 60
export const WINDOW_MAX_S = 366 * 86_400
/** 90 days: a longer delay would probably be a mistake in the unit. */
export const CHANGE_DELAY_MAX_S = 90 * 86_400
