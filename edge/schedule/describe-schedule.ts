import { describeCron } from './describe-cron.ts'
import type { CronConfig } from './schedule-config.ts'

/** Name of the time zone in which a cron expression is evaluated. */
export const zoneOf = ({ timezone = 'UTC' }: CronConfig): string => timezone

/**
 * Describes the ticks of a schedule with the name of the time zone, such as `every day at 09:00 Europe/Berlin`. Returns
 * undefined if there is no short description of the cron expression.
 */
export function describeSchedule(config: CronConfig): string | undefined {
  const words = describeCron(config.cron)
  return words === undefined ? undefined : `${words} ${zoneOf(config)}`
}
