#!/usr/bin/env bash
# slurm.sh OPBENCH PAGE: runs the job array of docs/cluster.md, script and merge as the page has them, on a Slurm of its own: two
# nodes of this machine, in a folder and at ports that go when the test ends. One node dies while its task is half way; the task
# is requeued and goes on where it was, the other one never notices, and the merged report has every sample once.
set -euo pipefail
program=$(realpath "$1") page=$(realpath "$2")
samples=40  # of both tasks; enough to cut one off in the middle

PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch; do
  command -v $tool >/dev/null || { echo "skipped: $tool is not installed; ./dev test --all installs Debian's slurm-wlm"; exit 77; }
done

folder=$(mktemp -d)
cd "$folder"
export SLURM_CONF=$folder/slurm.conf
cluster=opbench$$ first=a$$ second=b$$  # its name and those of its nodes, which tell our jobs from others'
daemons=()

# processes VARIABLE=VALUE: the ids of those that have it in their environment.
processes() { grep -lzsxF -- "$1" /proc/[0-9]*/environ | cut -d/ -f3 || true; }

finish() {
  local status=$?
  trap - EXIT
  if [ $status != 0 ]; then tail -n 15 -- *.log *.out >&2 || true; fi
  kill -KILL "${daemons[@]}" $(processes SLURM_CLUSTER_NAME=$cluster) 2>/dev/null || true
  while [ -n "$(processes SLURM_CLUSTER_NAME=$cluster)" ]; do sleep 0.02; done
  cd / && rm -rf "$folder"
  exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM

fail() { echo "$*" >&2; exit 1; }

# until_true WHAT COMMAND...: waits until the command succeeds.
until_true() {
  for _ in {1..3000}; do
    if "${@:2}"; then return 0; fi
    sleep 0.02
  done
  fail "it takes too long until $1"
}

free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo $port
}

# What makes two nodes of one machine: no cgroups, no accounting, a GPU each in name only.
configure() {
  local host user
  host=$(hostname) user=$(id -un)
  mkdir -m 711 munge
  chmod 711 .
  (umask 077 && head -c 128 /dev/urandom >munge/key)
  mkdir state results bin
  cat >slurm.conf <<TEXT
ClusterName=$cluster
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1,sched_min_interval=0
GresTypes=gpu
NodeName=$first NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) Gres=gpu:1
NodeName=$second NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) Gres=gpu:1
PartitionName=all Nodes=ALL Default=YES
TEXT
  echo 'Name=gpu File=/dev/null' >gres.conf
}

# start NAME COMMAND...: starts a daemon whose output goes to NAME.log; its number is `started`.
start() {
  "${@:2}" >"$1.log" 2>&1 &
  disown
  started=$!
  daemons+=($started)
}

start_cluster() {
  start munged munged --foreground --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  until_true "munged listens" test -S munge/socket
  start slurmctld slurmctld -D -i
  start first slurmd -D -N $first
  start second slurmd -D -N $second
  second_slurmd=$started
  until_true "both nodes are idle" nodes_are_idle
}
nodes_are_idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }

# `opbench` as the page calls it: the samples and the device of a test are added to what it is asked for.
install_program() {
  seq 1 $samples | sed 's/.*/cnt: &, ((T([&, 8], f32),), {})/; 1 i Operator: aten.neg.default' >samples.txt
  cat >bin/opbench <<TEXT
#!/bin/sh
[ "\$1" = merge ] || set -- "\$@" --device cpu --inp-file "$folder/samples.txt" --threads 1 --repeats 1
exec "$program" "\$@"
TEXT
  chmod +x bin/opbench
  export PATH=$folder/bin:$PATH OPBENCH_CACHE=$folder/cache XDG_STATE_HOME=$folder/keys
}

# The page's script, and the command that merges what the array JOB leaves.
script_of_page() { awk '/^## / { on = /^## Slurm/ } on && /^```/ { if (inside) exit; inside = 1; next } on && inside' "$page"; }
merge_of_page() { grep -o '`sbatch --dependency=[^`]*`' "$page" | tr -d '`' | sed "s/JOB/$1/g"; }

runs_on_second() { [ -n "$(squeue -h -t running -w $second -o %K)" ]; }
lines() { cat "results/$1.jsonl" 2>/dev/null | wc -l; }
has_begun() { [ "$(lines "$1")" -ge 4 ]; }
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
has_ended() { case $(state_of "$1") in PENDING | RUNNING | COMPLETING) false ;; esac }
is_state() { [ "$(state_of "$1")" = "$2" ]; }

# The second node's machine is gone: its slurmd, the step's and what they run end at once, nothing is said to the controller, and the
# cluster's administrator notices.
kill_node() {
  local job
  job=$(processes SLURMD_NODENAME=$second)
  kill -KILL $second_slurmd $(parents $job) $job 2>/dev/null || true
  scontrol update nodename=$second state=down reason="the test has killed it"
}
parents() { for process in "$@"; do sed -n 's/^PPid:\t//p' "/proc/$process/status"; done; }

configure
start_cluster
install_program
script_of_page >array.sh
grep -q '^#SBATCH' array.sh || fail "$page has no script of a job array under '## Slurm'"
array=$(sbatch --parsable --array=0-1 array.sh)
merging=$(merge_of_page "$array")
[ -n "$merging" ] || fail "$page has no command that merges what the array leaves"
eval "$merging" >merging.log

until_true "a task runs on the second node" runs_on_second
victim=$array-$(squeue -h -w $second -o %K)
until_true "task $victim has results" has_begun "$victim"
kill_node
before=$(lines "$victim")
[ "$before" -lt $samples ] || fail "task $victim was done before it could be killed"
cp "results/$victim.jsonl" killed.jsonl
until_true "task $victim is pending" is_state "${victim/-/_}" PENDING
scontrol update jobid="${victim/-/_}" starttime=now  # Slurm waits two minutes
merge_job=$(grep -o '[0-9]*$' merging.log)
until_true "all is merged" has_ended "$merge_job"

is_state "$merge_job" COMPLETED || fail "merging has ended as $(state_of "$merge_job")"
for task in 0 1; do
  is_state "${array}_$task" COMPLETED || fail "task $task has ended as $(state_of "${array}_$task")"
  restarts=$(scontrol show job "${array}_$task" | grep -o 'Restarts=[0-9]*')
  [ "$restarts" = Restarts=$([ "$array-$task" = "$victim" ] && echo 1 || echo 0) ] || fail "task $task has $restarts"
done
head -c "$(wc -c <killed.jsonl)" "results/$victim.jsonl" | cmp - killed.jsonl || fail "the requeued task did not go on where it was"
grep -o '"index":[0-9]*' all.jsonl | sort | uniq -c >found.txt
seq 1 $samples | sed 's/.*/      2 "index":&/' | sort -k 2 | diff - <(sort -k 2 found.txt) ||
  fail "the merged results have not every sample once, by two contenders"
grep -q "^opbench: $samples samples ($samples generated)$" "slurm-$merge_job.out" || fail "the merged report is not of all samples"
echo "task $victim was killed after $((before / 2)) of $((samples / 2)) samples and requeued; the merged report has all $samples"
