import journal from './meta/_journal.json';
import m0000 from './0000_initial.sql';
import m0001 from './0001_options-and-history.sql';
import m0002 from './0002_live-revisions.sql';
import m0003 from './0003_chain-events.sql';
import m0004 from './0004_results-in-runs.sql';
import m0005 from './0005_suspended.sql';
import m0006 from './0006_reports.sql';
import m0007 from './0007_event_counts.sql';
import m0008 from './0008_run_keys.sql';
import m0009 from './0009_reported-hold.sql';
import m0010 from './0010_collecting.sql';
import m0011 from './0011_webhook_sources.sql';
import m0012 from './0012_address-list.sql';
import m0013 from './0013_alert_thresholds.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006,
m0007,
m0008,
m0009,
m0010,
m0011,
m0012,
m0013
    }
  }
  