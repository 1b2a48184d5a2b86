import { defineAction, type ScheduleParams } from '@svc-run/cli/action'
import { addMonths, differenceInCalendarDays, format, formatDistance } from 'date-fns'

export default defineAction(({ scheduled_at }: Pick<ScheduleParams, 'scheduled_at'>) => {
  const at = new Date(scheduled_at)
  const due = addMonths(at, 1)
  return {
    due: format(due, 'EEEE, do MMMM yyyy'),
    days: differenceInCalendarDays(due, at),
    distance: formatDistance(due, at),
  }
})
