import { describe, expect, it } from 'vitest'
import { describeCron } from '../../../edge/schedule/describe-cron.ts'

describe('a cron expression in words', () => {
  it.each([
    ['* * * * *', 'every minute'],
    ['*/5 * * * *', 'every 5 minutes'],
    ['*/30 * * * * *', 'every 30 seconds'],
    ['0 9 * * *', 'every day at 09:00'],
    ['0 9,17 * * MON,fri', 'on Mondays and Fridays at 09:00 and 17:00'],
    ['15 * * * *', 'every hour at :15'],
    ['0 */6 * * *', 'every 6 hours at :00'],
    ['0 0 1 1 *', 'on the 1st of January at 00:00'],
    ['0 9 1 * 1', 'on the 1st and on Mondays at 09:00'],
    ['*/10 9-17 * * 1-5', 'every 10 minutes from 09:00 to 17:59, Monday to Friday'],
    ['0 0 0 * * 7', 'on Sundays at 00:00'],
    ['0/5 * * * *', 'every 5 minutes'],
    ['0-59/5 * * * *', 'every 5 minutes'],
    ['0 9 1-31 * 1', 'every day at 09:00'],
    ['0 9 1/10 * 1', 'on the 1st, 11th, 21st and 31st and on Mondays at 09:00'],
    ['0 9 * */6 *', 'in January and July at 09:00'],
    ['0 9 1 6 ?', 'on the 1st of June at 09:00'],
    // Both day fields must match.
    ['0 9 */10 * 1', undefined],
    ['0 9 1 * +1', undefined],
    // Uneven steps, the last day and the first Monday have no short wording.
    ['*/7 * * * *', undefined],
    ['0 9 L * *', undefined],
    ['0 0 * * 1#1', undefined],
  ])('%s is %s', (cron, words) => expect(describeCron(cron)).toBe(words))
})
