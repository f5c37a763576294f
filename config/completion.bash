# Read by `completion`, which puts the tables of the words before it.

# What completed a program before, so that all its other uses stay as they are.
declare -gA _semantic_nav_before

_semantic_nav_complete() {
    local at=3 first=3
    case "${COMP_WORDS[0]##*/} ${COMP_WORDS[1]:-} ${COMP_WORDS[2]:-}" in
        python*' -m semantic_nav') ;;
        # ros2 completes the names of executables itself.
        ros2' run semantic_nav' | ros2' run semantic_nav_sim') [[ -n ${_semantic_nav_before[ros2]:-} ]] && first=4 ;;
        *) first=$((COMP_CWORD + 1)) ;;
    esac
    if ((COMP_CWORD < first)); then
        _semantic_nav_as_before "$@"
        return
    fi
    local here=- word option=''
    while ((at < COMP_CWORD)); do
        word=${COMP_WORDS[at++]}
        if [[ -n $option ]]; then
            option=''
        elif [[ $word == -* ]]; then
            # One that takes a value stands among the choices, if with none.
            [[ -n ${_semantic_nav_choices["$here $word"]+x} ]] && option=$word
        elif [[ " ${_semantic_nav_actions[$here]:-} " == *" $word "* ]]; then
            [[ $here == - ]] && here=$word || here="$here $word"
        fi
    done
    local words="${_semantic_nav_actions[$here]:-}"
    if [[ -n $option ]]; then
        words=${_semantic_nav_choices["$here $option"]}
    elif [[ $2 == -* ]]; then
        words=${_semantic_nav_options[$here]:-}
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}

_semantic_nav_as_before() {
    local before=${_semantic_nav_before[${COMP_WORDS[0]##*/}]:-}
    [[ $before == *'-o nospace'* ]] && compopt -o nospace
    [[ $before =~ -F\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" "$@"
}

for _semantic_nav_program in python python3 ros2; do
    # bash-completion loads what it knows of a program at its first use.
    for _semantic_nav_loader in _comp_load _completion_loader; do
        if declare -F "$_semantic_nav_loader" >/dev/null; then
            "$_semantic_nav_loader" "$_semantic_nav_program" >/dev/null 2>&1
        fi
    done
    _semantic_nav_line=$(complete -p "$_semantic_nav_program" 2>/dev/null)
    if [[ $_semantic_nav_line != *_semantic_nav_complete* ]]; then
        _semantic_nav_before[$_semantic_nav_program]=$_semantic_nav_line
    fi
    complete -o bashdefault -o default -F _semantic_nav_complete "$_semantic_nav_program"
done
unset _semantic_nav_program _semantic_nav_line _semantic_nav_loader
